/** `warmturn pull NAME`: the file's path on stdout, so that a script can use it; all else on stderr. */

import { ConfigError } from "../config/ConfigError.ts";
import type { HelpGroup } from "../config/help.ts";
import { type Env, parseTable } from "../config/parseFlags.ts";
import { program } from "../config/program.ts";
import { HubError } from "../hub/HubError.ts";
import { cachedName } from "../hub/ModelCache.ts";
import { type ModelName, parseModelName } from "../hub/ModelName.ts";
import { findModel, type Pulled } from "../hub/pullModel.ts";
import { sizeText } from "../hub/sizeText.ts";
import { asCommand, fetchModel, modelCache } from "./locateModel.ts";
import { stderrOutput } from "./progressOutput.ts";
import type { ProgressOutput } from "./showProgress.ts";

export const helpGroups: readonly HelpGroup[] = [
  {
    title: "Names, and the environment",
    rows: [
      { left: "hf:OWNER/REPO", right: "Q4_K_M, or what comes nearest to it; hf: may be left out" },
      { left: "hf:OWNER/REPO:QUANT", right: "the quantisation, in any case, or a file's name" },
      { left: "HF_TOKEN", right: "environment: a token, for private and gated repositories" },
      { left: "HF_ENDPOINT", right: "environment: another hub's address" },
      { left: "WARMTURN_HOME", right: "environment: the cache folder" },
    ],
  },
];

export async function run(argv: readonly string[], env: Env): Promise<number> {
  const [text] = parseTable({}, argv, {}, 1).operands;
  if (text === undefined) throw new ConfigError(`No model is named: ${program} pull hf:OWNER/REPO[:QUANT].`);
  return await asCommand(async () => {
    const output = stderrOutput(env);
    const { model, fetched } = await fetchOrKeep(parseModelName(text), env, output);
    const name = cachedName(model);
    output.line(
      `${name} ${fetched ? "is here now" : "was here already"}, ${sizeText(model.bytes)}: ${program} -m ${name}`,
    );
    console.log(model.path);
    return 0;
  });
}

/** A model that is in the cache is used where the hub cannot be asked for a newer one. */
async function fetchOrKeep(name: ModelName, env: Env, output: ProgressOutput): Promise<Pulled> {
  try {
    return await fetchModel(name, env, output);
  } catch (error) {
    const here = findModel(modelCache(env), name);
    if (!(error instanceof HubError) || error.code !== "unreachable" || here === undefined) throw error;
    output.line(error.message);
    return { model: here, fetched: false };
  }
}
