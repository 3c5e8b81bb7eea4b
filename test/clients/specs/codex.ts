/** Codex, over `/v1/responses`. */
import { join } from "node:path";
import type { ClientSpec } from "./ClientSpec.ts";

export const codex: ClientSpec = {
  name: "Codex",
  packages: ["@openai/codex@0.171.0"],
  needsNode: true,
  files: ({ url }) => ({
    ".codex/config.toml": `model_provider = "warmturn"
model = "local"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.warmturn]
name = "warmturn"
base_url = "${url}/v1"
wire_api = "responses"
`,
  }),
  env: ({ home }) => ({ CODEX_HOME: join(home, ".codex") }),
  command: ({ installed }, step, prompt) => [
    "node",
    join(installed, "node_modules/@openai/codex/bin/codex.js"),
    "exec",
    "--skip-git-repo-check",
    "--dangerously-bypass-approvals-and-sandbox",
    ...(step > 1 ? ["resume", "--last"] : []),
    prompt,
  ],
};
