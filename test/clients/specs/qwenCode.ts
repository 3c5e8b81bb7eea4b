/** qwen-code, over `/v1/chat/completions`. */
import { join } from "node:path";
import type { ClientSpec } from "./ClientSpec.ts";

export const qwenCode: ClientSpec = {
  name: "qwen-code",
  packages: ["@qwen-code/qwen-code@0.24.4"],
  needsNode: true,
  files: () => ({
    ".qwen/settings.json": JSON.stringify({
      security: { auth: { selectedType: "openai" } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    }),
  }),
  env: ({ url }) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "none", OPENAI_MODEL: "local" }),
  command: ({ installed }, step, prompt) => [
    "node",
    join(installed, "node_modules/@qwen-code/qwen-code/cli-entry.js"),
    "--yolo",
    ...(step > 1 ? ["--continue"] : []),
    "-p",
    prompt,
  ],
};
