/** pi, over `/v1/chat/completions`. */
import { join } from "node:path";
import type { ClientSpec } from "./ClientSpec.ts";

export const pi: ClientSpec = {
  name: "pi",
  packages: ["@earendil-works/pi-coding-agent@1.6.0"],
  needsNode: true,
  files: ({ url }) => ({
    ".pi/agent/models.json": JSON.stringify({
      providers: {
        warmturn: {
          baseUrl: `${url}/v1`,
          api: "openai-completions",
          apiKey: "none",
          models: [{ id: "local", reasoning: true }],
        },
      },
    }),
  }),
  env: () => ({ PI_OFFLINE: "1" }),
  command: ({ installed }, step, prompt) => [
    "node",
    join(installed, "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js"),
    "--provider",
    "warmturn",
    "--model",
    "local",
    ...(step > 1 ? ["--continue"] : []),
    "-p",
    prompt,
  ],
};
