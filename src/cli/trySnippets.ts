/**
 * A first request to paste: into a shell, and into a program. No line is broken but where the shell and the
 * language allow it, so that what is copied from a narrow terminal still runs.
 */
export interface Snippet {
  /** Without a path, e.g. `http://127.0.0.1:8080`. */
  readonly base: string;
  readonly modelName: string;
  /** A key itself is never printed: it comes from WARMTURN_API_KEY. */
  readonly needsKey: boolean;
}

export function curlLines({ base, needsKey }: Snippet): string[] {
  return [
    `curl ${base}/v1/chat/completions \\`,
    ...(needsKey ? ['  -H "authorization: Bearer $WARMTURN_API_KEY" \\'] : []),
    "  -H 'content-type: application/json' \\",
    `  -d '{"messages": [{"role": "user", "content": "Hello"}]}'`,
  ];
}

/** JavaScript, with the `openai` package. */
export function sdkLines({ base, modelName, needsKey }: Snippet): string[] {
  return [
    'import OpenAI from "openai";',
    "const client = new OpenAI({",
    `  baseURL: "${base}/v1",`,
    `  apiKey: ${needsKey ? "process.env.WARMTURN_API_KEY" : '"none"'},`,
    "});",
    "const reply = await client.chat.completions.create({",
    `  model: ${JSON.stringify(modelName)},`,
    '  messages: [{ role: "user", content: "Hello" }],',
    "});",
    "console.log(reply.choices[0].message.content);",
  ];
}
