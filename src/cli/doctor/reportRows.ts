/** Each part of a report as rows for people. */
import { bytesText, countText, plainNumber } from "../amounts.ts";
import { type Look, paint } from "../Look.ts";
import type {
  ExactnessReport,
  LibraryReport,
  MachineReport,
  MemoryReport,
  ModelReport,
  NextTurnCase,
  TemplateReport,
  WaysReport,
} from "./DoctorReport.ts";

export type Row = readonly [name: string, value: string];

export function machineRows(machine: MachineReport): Row[] {
  const { memory_free_bytes: free, memory_total_bytes: total } = machine;
  return [
    ["system", machine.platform],
    ["CPU", `${machine.cpu}, ${machine.cores} cores, load ${machine.load}`],
    ["memory", `${bytesText(free)} of ${bytesText(total)} free`],
  ];
}

export function libraryRows(library: LibraryReport): Row[] {
  const origins = {
    explicit: "by --llama-lib",
    embedded: "in the executable",
    package: library.package ?? "",
  };
  return [
    ["version", `${library.version}, ${origins[library.origin]}`],
    ["file", library.path],
    ["CPU backend", `${library.cpu_variant}: ${library.cpu_features.join(" ")}`],
    ...library.gpus.map(
      (gpu): Row => [
        gpu.name,
        `${gpu.description} (${gpu.backend}), ${bytesText(gpu.memory_free_bytes)} of ${bytesText(gpu.memory_total_bytes)} free`,
      ],
    ),
    ...(library.gpus.length === 0 ? [["GPU", "none"] as const] : []),
  ];
}

const MEMORY_KINDS: Readonly<Record<ModelReport["memory"], string>> = {
  dense: "dense: resumed at any cut",
  hybrid: "hybrid: resumed at its end and at snapshots",
  recurrent: "recurrent: resumed at its end and at snapshots",
  window: "sliding window: resumed at its end and at trips",
};

export function modelRows(model: ModelReport): Row[] {
  return [
    ["file", model.path],
    ["what", `${model.description}, ${countText(model.parameters)} parameters, ${model.layers} layers`],
    ["weights", bytesText(model.weight_bytes)],
    [
      "trained for",
      `${plainNumber(model.train_tokens)} tokens, vocabulary of ${plainNumber(model.vocabulary)}`,
    ],
    [
      "memory",
      `${MEMORY_KINDS[model.memory]}${model.window_tokens > 0 ? `, ${plainNumber(model.window_tokens)} tokens wide` : ""}`,
    ],
  ];
}

export function templateRows(template: TemplateReport): Row[] {
  const { calls, reasoning, next_turn: next } = template;
  const kept = (is: boolean): string => (is ? "kept" : "dropped");
  const unlike = next.cases.filter(({ keeps_prompt, warmed }) => warmed && !keeps_prompt);
  const unwarmed = next.cases.filter(({ warmed }) => !warmed);
  return [
    ["from", template.from === "model" ? "the model" : template.from],
    ["messages open with", list(template.openers)],
    ["user messages with", list(template.user_openers)],
    ["others with", list(template.other_openers)],
    ...(template.tail_openers.length === 0
      ? []
      : [["behind the last", list(template.tail_openers)] as const]),
    ["calls", `${calls.example === null ? "not known" : visible(calls.example)} (${calls.how})`],
    ["calls read back", Object.values(calls.read).join(", ")],
    ...(calls.in_template ? [] : [["", "not in the template: the server writes them"] as const]),
    ...(calls.results_in_template ? [] : [["results", "not in the template: the user says them"] as const]),
    ["reasoning", reasoning === null ? "none" : `${visible(reasoning.start)} … ${visible(reasoning.end)}`],
    ["  in a tool loop", kept(next.keeps_reasoning_in_tool_loop)],
    ["  after the user", kept(next.keeps_reasoning_after_user)],
    ["tools", next.tools_move ? "move to the last user message" : "stay in front"],
    ["prompt rewritten", nextOf(unlike, "never", "before")],
    ["next turn warmed", nextOf(unwarmed, "always", "not before")],
  ];
}

const NEXT_NAMES: Readonly<Record<NextTurnCase["next"], string>> = {
  user: "a user message",
  "user, tools offered": "a user message where tools are offered",
  result: "a tool's result",
  "two results": "two results",
  "user, after a tool loop": "a user message after a tool loop",
};

function nextOf(cases: readonly NextTurnCase[], none: string, before: string): string {
  return cases.length === 0 ? none : `${before} ${cases.map(({ next }) => NEXT_NAMES[next]).join(", ")}`;
}

export function memoryRows(memory: MemoryReport): Row[] {
  const { kv_token_bytes: token, window_token_bytes: window, recurrent_bytes: recurrent } = memory;
  const free = memory.on === "gpu" ? [["free on the GPU", bytesText(memory.free_device_bytes)] as const] : [];
  return [
    [
      "on",
      `${memory.on === "gpu" ? "GPU" : "CPU"}, --threads ${memory.threads}, ${memory.threads_batch} for prefill`,
    ],
    [
      "conversations",
      `${plainNumber(memory.ctx_tokens)} tokens each; ${memory.lanes} written at once, ${memory.spares} held beside`,
    ],
    [
      "cuts",
      `every ${memory.chunk_min_tokens} to ${memory.chunk_max_tokens} tokens${memory.trip_min_tokens > 0 ? `, trips every ${memory.trip_min_tokens}` : ""}`,
    ],
    [
      "a token",
      `${plainNumber(token)} bytes of KV${window > 0 ? `, ${plainNumber(window)} more in the window` : ""}`,
    ],
    ...(recurrent > 0 ? [["recurrent rows", `${bytesText(recurrent)} a conversation`] as const] : []),
    ...(memory.snapshot_bytes > 0 ? [["a snapshot", bytesText(memory.snapshot_bytes)] as const] : []),
    [
      "planned",
      `${bytesText(memory.total_bytes)}: weights ${bytesText(memory.weight_bytes)}, KV ${bytesText(memory.kv_bytes)}, compute ${bytesText(memory.compute_bytes)}, kept states ${bytesText(memory.state_ram_bytes)}`,
    ],
    ["free", bytesText(memory.free_host_bytes)],
    ...free,
    [
      "kept states hold",
      memory.holds
        .map((one) => `${one.conversations} × ${plainNumber(one.conversation_tokens)} tokens`)
        .join(", or "),
    ],
  ];
}

export function exactnessRows(exactness: ExactnessReport, look: Look): Row[] {
  const equal = (is: boolean): string =>
    is ? paint(look, "green", "equal") : paint(look, "red", "not equal");
  const { short, long, decode } = exactness;
  const both = (name: Exclude<keyof WaysReport, "prompt_tokens">): string =>
    short[name] === long[name]
      ? equal(short[name])
      : `short ${equal(short[name])}, long ${equal(long[name])}`;
  return [
    ["prompts of", `${short.prompt_tokens} and ${long.prompt_tokens} tokens, against a cold run`],
    ["again", both("again")],
    ["resumed", both("resumed")],
    ["other sequence", both("other_sequence")],
    ["restored from RAM", both("restored")],
    ["forked", both("forked")],
    ["decoded alone", equal(decode.again)],
    ["beside others", besideOthers(decode, equal)],
    ["kept states", exactness.allowed ? "resumed" : paint(look, "red", "never resumed")],
  ];
}

function besideOthers(decode: ExactnessReport["decode"], equal: (is: boolean) => string): string {
  if (decode.beside_others === null) return "one lane alone";
  if (decode.beside_others) return equal(true);
  return decode.together ? "not equal" : "wrong: each is decoded alone";
}

function list(texts: readonly string[]): string {
  return texts.length === 0 ? "no special token" : texts.map(visible).join("  ");
}

/** Line breaks as `\n`. */
function visible(text: string): string {
  return text.replaceAll("\n", "\\n");
}
