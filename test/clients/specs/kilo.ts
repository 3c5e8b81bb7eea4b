/** Kilo's command line, made from opencode, over `/v1/chat/completions`. */
import { join } from "node:path";
import { type ClientSpec, PLATFORM } from "./ClientSpec.ts";
import { opencodeSettings } from "./opencode.ts";

export const kilo: ClientSpec = {
  name: "Kilo",
  // The platform packages of 7.8.1 are not on npm.
  packages: [`@kilocode/cli-${PLATFORM}@7.7.9`],
  needsNode: false,
  files: ({ url }) => ({ ".config/kilo/kilo.json": opencodeSettings(url) }),
  env: () => ({
    KILO_DISABLE_AUTOUPDATE: "1",
    KILO_DISABLE_MODELS_FETCH: "1",
    KILO_DISABLE_LSP_DOWNLOAD: "1",
    KILO_TELEMETRY_LEVEL: "off",
  }),
  command: ({ installed }, step, prompt) => [
    join(installed, `node_modules/@kilocode/cli-${PLATFORM}/bin/kilo`),
    "run",
    "--auto",
    ...(step > 1 ? ["--continue"] : []),
    prompt,
  ],
};
