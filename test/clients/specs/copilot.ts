/** GitHub's Copilot command line with a provider of the user's own, over `/v1/chat/completions`. */
import { join } from "node:path";
import { type ClientSpec, PLATFORM } from "./ClientSpec.ts";

export const copilot: ClientSpec = {
  name: "Copilot CLI",
  packages: ["@github/copilot@1.0.102"],
  needsNode: false,
  files: () => ({}),
  env: ({ url }) => ({
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_TYPE: "openai",
    COPILOT_PROVIDER_API_KEY: "none",
    COPILOT_MODEL: "local",
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
  }),
  command: ({ installed }, step, prompt) => [
    join(installed, `node_modules/@github/copilot-${PLATFORM}/copilot`),
    "--allow-all-tools",
    ...(step > 1 ? ["--continue"] : []),
    "-p",
    prompt,
  ],
};
