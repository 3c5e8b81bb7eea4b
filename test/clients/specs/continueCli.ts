/** Continue's command line, over `/v1/chat/completions`. */
import { join } from "node:path";
import type { ClientSpec } from "./ClientSpec.ts";

export const continueCli: ClientSpec = {
  name: "Continue",
  packages: ["@continuedev/cli@1.5.47"],
  needsNode: true,
  files: ({ url }) => ({
    "cn.yaml": [
      "name: warmturn",
      "version: 1.0.0",
      "schema: v1",
      "models:",
      "  - name: local",
      "    provider: openai",
      "    model: local",
      `    apiBase: ${url}/v1`,
      "    apiKey: none",
      "    roles: [chat]",
      "    capabilities: [tool_use]",
      "",
    ].join("\n"),
  }),
  env: () => ({ CONTINUE_TELEMETRY_ENABLED: "0" }),
  command: ({ installed, home }, step, prompt) => [
    "node",
    join(installed, "node_modules/@continuedev/cli/dist/cn.js"),
    "--config",
    join(home, "cn.yaml"),
    "--auto",
    ...(step > 1 ? ["--resume"] : []),
    "-p",
    prompt,
  ],
};
