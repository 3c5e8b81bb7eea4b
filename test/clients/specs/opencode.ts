/** opencode, over `/v1/chat/completions`. */
import { join } from "node:path";
import { type ClientSpec, PLATFORM } from "./ClientSpec.ts";

/** Its settings, which clients made from it read as well. */
export function opencodeSettings(url: string): string {
  return JSON.stringify({
    autoupdate: false,
    share: "disabled",
    model: "warmturn/local",
    provider: {
      warmturn: {
        npm: "@ai-sdk/openai-compatible",
        name: "warmturn",
        options: { baseURL: `${url}/v1`, apiKey: "none" },
        models: { local: { name: "local" } },
      },
    },
  });
}

export const opencode: ClientSpec = {
  name: "opencode",
  packages: ["opencode-ai@1.18.33"],
  needsNode: false,
  files: ({ url }) => ({ ".config/opencode/opencode.json": opencodeSettings(url) }),
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  }),
  command: ({ installed }, step, prompt) => [
    join(installed, `node_modules/opencode-${PLATFORM}/bin/opencode`),
    "run",
    ...(step > 1 ? ["--continue"] : []),
    prompt,
  ],
};
