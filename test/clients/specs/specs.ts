/** All clients that the runner plays, in the order of its table. */
import type { ClientSpec } from "./ClientSpec.ts";
import { claudeCode } from "./claudeCode.ts";
import { codex } from "./codex.ts";
import { continueCli } from "./continueCli.ts";
import { copilot } from "./copilot.ts";
import { langChain, llamaIndex, mastra, openAiAgents } from "./frameworks.ts";
import { kilo } from "./kilo.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwenCode } from "./qwenCode.ts";

export const SPECS: readonly ClientSpec[] = [
  claudeCode,
  codex,
  opencode,
  qwenCode,
  pi,
  continueCli,
  copilot,
  kilo,
  langChain,
  llamaIndex,
  openAiAgents,
  mastra,
];

export function specOf(name: string): ClientSpec | undefined {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, "");
  return SPECS.find((spec) => plain(spec.name) === plain(name));
}
