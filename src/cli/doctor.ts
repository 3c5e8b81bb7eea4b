/** `warmturn doctor [MODEL]`: what the server would find and decide here, and what is wrong. 1 where anything is. */

import { configOf, modelOf } from "../config/Config.ts";
import { toggle } from "../config/flag.ts";
import { FLAGS } from "../config/flags.ts";
import { flagRows, type HelpGroup, SERVER_GROUPS } from "../config/help.ts";
import { type Env, parseTable } from "../config/parseFlags.ts";
import { openEngine } from "../engine/open/openEngine.ts";
import { examine } from "./doctor/examine.ts";
import { printReport } from "./doctor/printReport.ts";
import { lookOf } from "./Look.ts";
import { locateModel } from "./locateModel.ts";
import { stderrOutput } from "./progressOutput.ts";
import { StatusLine } from "./StatusLine.ts";

const OWN_FLAGS = { json: toggle({ names: "--json", help: "one JSON object instead of text" }, false) };

export const helpGroups: readonly HelpGroup[] = [
  { title: "Flags", rows: flagRows(OWN_FLAGS) },
  ...SERVER_GROUPS,
];

export async function run(argv: readonly string[], env: Env): Promise<number> {
  const { flags, operands, notes } = parseTable({ ...OWN_FLAGS, ...FLAGS }, argv, env, 1);
  const { json, ...given } = flags;
  const named = { ...given, model: operands[0] ?? given.model };
  // A model by name is fetched as for the server; one that cannot be had is a sentence.
  const config =
    modelOf(named, env) === null
      ? null
      : await locateModel(configOf(named, env, notes), env, stderrOutput(env));
  const look = lookOf(process.stderr, env);
  const status = new StatusLine((text) => process.stderr.write(text));
  const report = examine({
    config,
    llamaLib: named.llamaLib,
    openEngine,
    onStep: (step) => {
      if (look.moves) status.show(`${step} …`);
    },
  });
  status.show("");
  const text = json
    ? `${JSON.stringify(report, null, 2)}\n`
    : printReport(report, lookOf(process.stdout, env));
  await Bun.write(Bun.stdout, text);
  return report.ok ? 0 : 1;
}
