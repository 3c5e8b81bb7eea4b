/** What a report shows to be wrong, or good to know, each with what to do about it. */

import type { Config } from "../../config/Config.ts";
import { NO_NUMBERS, WHOLE_ONLY } from "../../engine/proof/proveStates.ts";
import { bytesText } from "../amounts.ts";
import type {
  DoctorReport,
  ExactnessReport,
  Finding,
  MachineReport,
  MemoryReport,
  ModelReport,
  TemplateReport,
} from "./DoctorReport.ts";

/** Below this share of the machine's memory there is hardly room for anything. */
const FREE_SHARE_MIN = 0.1;

type Level = Finding["level"];

export function finding(level: Level, about: Finding["about"], says: string, advice = ""): Finding {
  return { level, about, says: says.endsWith(".") ? says : `${says}.`, advice };
}

/** Of all that was looked at; `config` is that of the model. */
export function findingsOf(report: Omit<DoctorReport, "ok" | "findings">, config: Config): Finding[] {
  const { machine, model, template, memory, exactness } = report;
  return [
    ...config.notes.map((note) => finding("note", "settings", note)),
    ...machineFindings(machine, config),
    ...(template === null ? [] : templateFindings(template, config)),
    ...(memory === null || model === null ? [] : memoryFindings(memory, model, config)),
    ...(exactness === null ? [] : exactnessFindings(exactness, config)),
  ];
}

function machineFindings(machine: MachineReport, { engine }: Config): Finding[] {
  const found: Finding[] = [];
  const { cores, load } = machine;
  for (const [flag, threads] of [
    ["--threads", engine.threads],
    ["--threads-batch", engine.threadsBatch],
  ] as const) {
    if (threads > cores) {
      const says = `${flag} is ${threads}, and there are ${cores} cores: threads that wait for each other take turns.`;
      found.push(finding("wrong", "cpu", says, `Start with ${flag} ${cores} or less.`));
    }
  }
  const left = Math.max(1, cores - Math.round(load));
  if (engine.threads > left && engine.threads <= cores) {
    const says = `Other programs are busy (load ${load} on ${cores} cores), and ${engine.threads} threads wait for the slowest.`;
    found.push(finding("note", "cpu", says, `Stop them, or start with --threads ${left}.`));
  }
  if (machine.memory_free_bytes < FREE_SHARE_MIN * machine.memory_total_bytes) {
    const says = `Only ${bytesText(machine.memory_free_bytes)} of ${bytesText(machine.memory_total_bytes)} of memory are free.`;
    found.push(finding("note", "memory", says, "End other programs, or give a container more memory."));
  }
  return found;
}

function templateFindings(template: TemplateReport, { flags }: Config): Finding[] {
  const found: Finding[] = [];
  const note = (says: string, advice = ""): void => {
    found.push(finding("note", "template", says, advice));
  };
  if (template.openers.length === 0) {
    note("No special token opens a message: prompts are cut by length alone, and resumed a chunk earlier.");
  }
  if (template.next_turn.tools_move) {
    note(
      "Tools stand in front of the last user message and move with it: after each, the prompt is prefilled from the first of them.",
    );
  }
  const unwarmed = template.next_turn.cases.filter(({ warmed }) => !warmed);
  for (const why of new Set(unwarmed.map((one) => one.why))) {
    const cases = unwarmed.filter((one) => one.why === why).map((one) => one.next);
    note(`The next turn is not warmed (${cases.join("; ")}): ${why}`);
  }
  const { oneCall, nestedArguments, twoCalls } = template.calls.read;
  if ([oneCall, nestedArguments, twoCalls].includes("fails")) {
    note("Calls are not read back from this template as it prints them; some replies may stay text.");
  }
  if (flags.warm === "off") {
    found.push(
      finding("note", "settings", "Warming is off.", "Leave out --warm off to have next turns prefilled."),
    );
  }
  return found;
}

function memoryFindings(memory: MemoryReport, model: ModelReport, { flags, engine }: Config): Finding[] {
  const found: Finding[] = [];
  const fit = "--cache-type-k q8_0 --cache-type-v q8_0, a smaller quantisation or a smaller --state-ram";
  const isBeyond = flags.ctxSize > model.train_tokens && model.train_tokens > 0 && flags.ropeScaling === null;
  const asked = isBeyond ? model.train_tokens : flags.ctxSize;
  if (asked > 0 && memory.ctx_tokens < asked) {
    const says = `--ctx-size ${flags.ctxSize} is more than memory holds: conversations have ${memory.ctx_tokens} tokens.`;
    found.push(finding("wrong", "memory", says, `Start with --ctx-size ${memory.ctx_tokens}, ${fit}.`));
  } else if (memory.ctx_tokens < model.train_tokens && flags.ctxSize === 0) {
    const says = `The model's ${model.train_tokens} tokens of context do not fit: conversations have ${memory.ctx_tokens}.`;
    found.push(finding("note", "memory", says, `For more: ${fit}.`));
  }
  if (memory.lanes < flags.parallel) {
    const says = `Memory holds ${memory.lanes} replies at a time, not --parallel ${flags.parallel}.`;
    found.push(finding("note", "memory", says, `For more: a smaller --ctx-size, ${fit}.`));
  }
  if (isBeyond) {
    const says = `--ctx-size ${flags.ctxSize} is beyond the ${model.train_tokens} tokens that the model was trained on, and lowered to them.`;
    found.push(finding("note", "settings", says, "Lower it, or set --rope-scaling and --rope-scale."));
  }
  found.push(...budgetFindings(memory));
  if (memory.on === "gpu" && engine.gpuLayers >= 0 && engine.gpuLayers <= model.layers) {
    const says = `${engine.gpuLayers} of ${model.layers + 1} layers are on the GPU.`;
    found.push(finding("note", "gpu", says, "All are where --gpu-layers is left out, if memory holds them."));
  }
  return found;
}

function budgetFindings(memory: MemoryReport): Finding[] {
  const { state_ram_bytes: budget, snapshot_bytes: snapshot } = memory;
  const full = memory.holds.at(-1);
  if (budget < snapshot) {
    const says = `--state-ram ${bytesText(budget)} is less than one snapshot of this model, ${bytesText(snapshot)}: only an untouched conversation is resumed.`;
    return [finding("wrong", "memory", says, `Start with --state-ram ${inMebibytes(8 * snapshot)} or more.`)];
  }
  if (full === undefined || full.conversations > 0) return [];
  const says = `--state-ram ${bytesText(budget)} holds no whole conversation of ${full.conversation_tokens} tokens: ${bytesText(full.conversation_bytes)}.`;
  const advice =
    "Longer ones are kept in live sequences alone; for more, raise --state-ram or --spare-sequences.";
  return [finding("note", "memory", says, advice)];
}

function exactnessFindings(exactness: ExactnessReport, { engine }: Config): Finding[] {
  const found: Finding[] = [];
  if (exactness.why === NO_NUMBERS) {
    const advice =
      "Every request fails. The file may be damaged, or its numbers overflow: fetch it again, or try another quantisation or --gpu-layers 0.";
    return [finding("wrong", "exactness", `The self-test fails: ${exactness.why}.`, advice)];
  }
  const elsewhere =
    "Replies stay right. Try --gpu-layers 0, another --cache-type-k and --cache-type-v, or a newer driver, then doctor again.";
  if (!exactness.allowed) {
    const says = `The self-test fails: ${exactness.why}.`;
    found.push(finding("wrong", "exactness", says, elsewhere));
  } else if (exactness.why === WHOLE_ONLY) {
    const advice = "Nothing on this machine changes that: it is how llama.cpp keeps this kind of model.";
    found.push(finding("note", "exactness", `Of kept states: ${exactness.why}.`, advice));
  }
  if (!exactness.decode.again) {
    const says = "A reply that is decoded twice, each time alone, does not have the same logits.";
    found.push(finding("wrong", "exactness", says, elsewhere));
  } else if (!exactness.decode.together) {
    const says = "llama.cpp decodes several replies of this model in one step wrongly here.";
    const advice =
      "Replies stay right: each is decoded alone, as with --exact-decode. Another quantisation may not need it.";
    found.push(finding("note", "exactness", says, advice));
  } else if (exactness.decode.beside_others === false && !engine.exactDecode) {
    const says = "Replies that are decoded together differ in low bits from one that is decoded alone.";
    found.push(
      finding("note", "exactness", says, "--exact-decode decodes each alone, which is slower under load."),
    );
  }
  return found;
}

/** As flags take it. */
function inMebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)}M`;
}
