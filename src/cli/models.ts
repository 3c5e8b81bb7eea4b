/** `warmturn models`: what is in the cache folder; `warmturn models rm NAME` takes one out. */

import { ConfigError } from "../config/ConfigError.ts";
import { toggle } from "../config/flag.ts";
import { flagRows, type HelpGroup } from "../config/help.ts";
import { type Env, parseTable } from "../config/parseFlags.ts";
import { program } from "../config/program.ts";
import { cachedName, type ModelCache } from "../hub/ModelCache.ts";
import { parseModelName } from "../hub/ModelName.ts";
import { removeModel } from "../hub/removeModel.ts";
import { sizeText } from "../hub/sizeText.ts";
import { asCommand, modelCache } from "./locateModel.ts";

const FLAGS = { json: toggle({ names: "--json", help: "the list as JSON" }, false) };

export const helpGroups: readonly HelpGroup[] = [
  {
    title: "Flags",
    rows: [
      { left: "rm NAME", right: "remove a model, and what a broken pull left of it" },
      ...flagRows(FLAGS),
    ],
  },
];

export async function run(argv: readonly string[], env: Env): Promise<number> {
  const { flags, operands } = parseTable(FLAGS, argv, {}, 2);
  const [action, name] = operands;
  const cache = modelCache(env);
  if (action === undefined) return list(cache, flags.json);
  if (action !== "rm") {
    throw new ConfigError(
      `Not understood: ${action}. It is ${program} models, or ${program} models rm NAME.`,
    );
  }
  if (name === undefined) throw new ConfigError(`No model is named: ${program} models rm NAME.`);
  return await asCommand(() => {
    const { names, bytes } = removeModel(cache, parseModelName(name));
    console.log(`Removed ${names.join(", ")}: ${sizeText(bytes)} are free again.`);
    return 0;
  });
}

function list(cache: ModelCache, json: boolean): number {
  const models = cache.list();
  const unfinished = cache.unfinished();
  if (json) {
    const whole = models.map((model) => ({
      name: cachedName(model),
      quant: model.quant,
      bytes: model.bytes,
      path: model.path,
      files: model.files.map(({ path, size, digest }) => ({ path, bytes: size, [digest.kind]: digest.hex })),
    }));
    const parts = unfinished.map(({ model, path, size, bytes, part }) => ({
      name: model,
      file: path,
      bytes,
      size,
      part,
    }));
    console.log(JSON.stringify({ models: whole, unfinished: parts }, null, 2));
    return 0;
  }
  if (models.length + unfinished.length === 0) {
    console.log(`No model is here yet; ${program} pull hf:OWNER/REPO fetches one.`);
    return 0;
  }
  const rows = models.map((model) => [cachedName(model), model.quant, sizeText(model.bytes), model.path]);
  const left = unfinished.map(({ model, size, bytes, part }) => [
    model,
    "unfinished",
    `${sizeText(bytes)} of ${sizeText(size)}`,
    part,
  ]);
  for (const line of table([["NAME", "QUANT", "SIZE", "PATH"], ...rows, ...left])) console.log(line);
  return 0;
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(width(column)))
      .join("  ")
      .trimEnd(),
  );
}
