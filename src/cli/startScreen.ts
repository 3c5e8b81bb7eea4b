/** What somebody who has started the server on a terminal needs to know, on one screen; a function of facts. */

import { wrap } from "../base/wrap.ts";
import type { EngineReady, MemoryKind } from "../run/EngineReady.ts";
import { bytesText, countText, plainNumber, timeText } from "./amounts.ts";
import { type Look, paint } from "./Look.ts";
import { curlLines, sdkLines } from "./trySnippets.ts";

export interface StartFacts {
  readonly version: string;
  /** As it is listened on, e.g. `http://0.0.0.0:8080`. */
  readonly url: string;
  readonly modelName: string;
  readonly ready: EngineReady;
  readonly warm: boolean;
  /** Whether requests need an API key. */
  readonly needsKey: boolean;
  readonly loadMs: number;
  /** How this program is started, e.g. `warmturn`. */
  readonly command: string;
}

const MEMORY: Readonly<Record<MemoryKind, string>> = {
  dense: "dense: goes back to any cut of a prompt",
  hybrid: "hybrid: goes back to snapshots",
  recurrent: "recurrent: goes back to snapshots",
  window: "sliding window: goes back to snapshots",
};

const LABEL_CHARS = 9;
const INDENT = "  ";

/** Ends with a line break. */
export function startScreen(facts: StartFacts, look: Look): string {
  const head = `warmturn ${facts.version} is ready after ${timeText(facts.loadMs)}`;
  const base = reachableUrl(facts.url);
  const snippet = { base, modelName: facts.modelName, needsKey: facts.needsKey };
  const code = (lines: readonly string[]): string[] => lines.map((line) => paint(look, "cyan", line));
  const lines = [
    paint(look, ["bold", "green"], head),
    "",
    ...rows(facts).flatMap(([label, text]) => row(label, text, look)),
    "",
    ...(facts.ready.lanes === 0
      ? []
      : [
          ...code(curlLines(snippet)),
          "",
          ...code(sdkLines(snippet)),
          "",
          paint(look, "dim", `${facts.command} chat --url ${base}`),
          "",
        ]),
  ];
  return `${lines.join("\n")}\n`;
}

/** An address that a client on this machine can use; a wildcard is none. */
export function reachableUrl(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

function rows(facts: StartFacts): (readonly [label: string, text: string])[] {
  const { ready } = facts;
  const model = ready.facts;
  const size = [countText(model.parameters), bytesText(model.weightBytes), model.quantisation];
  return [
    ["address", facts.url],
    ["model", `${facts.modelName}: ${model.architecture}, ${size.join(", ")}`],
    ...(ready.lanes === 0 ? encoderRows(ready) : generatorRows(facts)),
    ...(facts.needsKey ? [["keys", "needed: export WARMTURN_API_KEY with one of them"] as const] : []),
  ];
}

function generatorRows({ ready, warm }: StartFacts): (readonly [label: string, text: string])[] {
  const lanes = ready.lanes === 1 ? "1 reply" : `${ready.lanes} replies`;
  return [
    ["memory", `${MEMORY[ready.memory]}; on ${ready.facts.devices.join(", ")}`],
    ["context", `${plainNumber(ready.ctxTokens)} tokens a conversation, ${lanes} at a time`],
    ["kept", keptText(ready)],
    ...(warm ? [] : [["warm", "off: next turns are not prefilled ahead"] as const]),
  ];
}

function encoderRows({ facts, ranking, ctxTokens }: EngineReady): (readonly [label: string, text: string])[] {
  const does = ranking === null ? "/v1/embeddings" : "/v1/rerank";
  return [
    ["memory", `an encoder: it writes no text and remembers nothing; on ${facts.devices.join(", ")}`],
    ["serves", `${does}, inputs of up to ${plainNumber(ctxTokens)} tokens (--ubatch-size)`],
  ];
}

/** How much conversation the host memory for kept states holds, beside what lies in sequences. */
function keptText({ facts, resume, lanes, spares, ctxTokens }: EngineReady): string {
  if (!resume.allowed) return `nothing is resumed here: ${resume.why}`;
  const { stateRamBytes, tokenBytes, snapshotBytes } = facts;
  const holds: string[] = [];
  if (tokenBytes > 0)
    holds.push(`${plainNumber(rounded(stateRamBytes / tokenBytes))} tokens of conversation`);
  if (snapshotBytes > 0) {
    holds.push(
      `${plainNumber(Math.floor(stateRamBytes / snapshotBytes))} snapshots of ${bytesText(snapshotBytes)}`,
    );
  }
  const live = `${plainNumber((lanes + spares) * ctxTokens)} tokens in ${lanes + spares} sequences`;
  return `${live}, and in ${bytesText(stateRamBytes)} of RAM ${holds.join(" or ")}`;
}

/** Three digits: the estimate is no more exact. */
function rounded(count: number): number {
  return Number(Math.floor(count).toPrecision(3));
}

function row(label: string, text: string, look: Look): string[] {
  const start = INDENT.length + LABEL_CHARS;
  return wrap(text, Math.max(16, look.columns - 1 - start)).map((line, i) =>
    i === 0
      ? `${INDENT}${paint(look, "dim", label.padEnd(LABEL_CHARS))}${line}`
      : `${" ".repeat(start)}${line}`,
  );
}
