/** Claude Code, over `/v1/messages`. */
import { join } from "node:path";
import { type ClientSpec, PLATFORM } from "./ClientSpec.ts";

export const claudeCode: ClientSpec = {
  name: "Claude Code",
  packages: ["@anthropic-ai/claude-code@2.1.332"],
  needsNode: false,
  files: () => ({}),
  env: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: "none",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  }),
  command: ({ installed }, step, prompt) => [
    join(installed, `node_modules/@anthropic-ai/claude-code-${PLATFORM}/claude`),
    "-p",
    prompt,
    ...(step > 1 ? ["--continue"] : []),
    "--model",
    "local",
    "--allowedTools",
    "Bash",
  ],
};
