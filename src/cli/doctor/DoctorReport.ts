/**
 * What `warmturn doctor --json` prints, as one object. Fields are added, never renamed, while `schema` stays 1; what
 * was not looked at, or could not be, is null. Numbers ending in `_bytes` are bytes, in `_tokens` tokens.
 */
import type { FormatTest } from "../../chat/formats/testFormat.ts";
import type { MemoryKind } from "../../run/EngineReady.ts";

export interface DoctorReport {
  readonly schema: 1;
  /** warmturn's. */
  readonly version: string;
  /** No finding is `wrong`; the exit code is 0. */
  readonly ok: boolean;
  readonly machine: MachineReport;
  readonly library: LibraryReport | null;
  readonly model: ModelReport | null;
  readonly template: TemplateReport | null;
  readonly memory: MemoryReport | null;
  readonly exactness: ExactnessReport | null;
  readonly findings: readonly Finding[];
}

export interface Finding {
  /** `wrong` has to be mended; a `note` is good to know. */
  readonly level: "wrong" | "note";
  readonly about: "library" | "gpu" | "cpu" | "model" | "template" | "memory" | "exactness" | "settings";
  /** One sentence. */
  readonly says: string;
  /** What to do about it; "" where nothing has to be done, or `says` has it. */
  readonly advice: string;
}

export interface MachineReport {
  /** `linux-x64`. */
  readonly platform: string;
  readonly cpu: string;
  /** Cores that this process may use. */
  readonly cores: number;
  /** Mean of runnable threads over the last minute, before anything was tested. */
  readonly load: number;
  readonly memory_total_bytes: number;
  /** What can be had, a container's limit respected. */
  readonly memory_free_bytes: number;
}

export interface LibraryReport {
  readonly version: string;
  readonly path: string;
  /** `explicit`: by --llama-lib; `embedded`: inside the executable. */
  readonly origin: "explicit" | "package" | "embedded";
  /** `@node-llama-cpp/linux-x64`; null unless `origin` is `package`. */
  readonly package: string | null;
  /** File of the CPU backend that was chosen, e.g. `libggml-cpu-zen4.so`. */
  readonly cpu_variant: string;
  /** As llama.cpp names them: `AVX2`, `NEON`, … */
  readonly cpu_features: readonly string[];
  readonly gpus: readonly GpuReport[];
}

export interface GpuReport {
  /** As flags name it, e.g. `CUDA0`. */
  readonly name: string;
  readonly description: string;
  readonly backend: string;
  readonly memory_total_bytes: number;
  readonly memory_free_bytes: number;
}

export interface ModelReport {
  readonly path: string;
  /** llama.cpp's own short description. */
  readonly description: string;
  readonly architecture: string;
  /** As the library names it, e.g. `Q4_K - Medium`. */
  readonly quantisation: string;
  readonly parameters: number;
  readonly weight_bytes: number;
  readonly layers: number;
  readonly vocabulary: number;
  /** Context of the training. */
  readonly train_tokens: number;
  readonly memory: MemoryKind;
  /** Sliding window; 0 without one. */
  readonly window_tokens: number;
}

export interface TemplateReport {
  /** `model`, or the file of --chat-template-file. */
  readonly from: string;
  /** Special tokens that open a message, as text; empty where prompts are cut by length alone. */
  readonly openers: readonly string[];
  readonly user_openers: readonly string[];
  readonly other_openers: readonly string[];
  /** What it prints behind the last message begins with these. */
  readonly tail_openers: readonly string[];
  readonly calls: CallsReport;
  /** Tags around reasoning; null where none are known. */
  readonly reasoning: { readonly start: string; readonly end: string } | null;
  readonly next_turn: NextTurnReport;
}

export interface CallsReport {
  /** `inferred` from renders, known `by hand`, or the `usual` form where the template shows none. */
  readonly how: "inferred" | "by hand" | "usual";
  /** Whether the template prints calls and results; else the server writes them into the text. */
  readonly in_template: boolean;
  readonly results_in_template: boolean;
  /** A call of NAME with the argument KEY; null where calls are not known. */
  readonly example: string | null;
  /** Calls that the template rendered, read back: `exact`, `read`, `fails` or `none` (not rendered). */
  readonly read: FormatTest;
}

export interface NextTurnReport {
  /** Whether reasoning is still printed within a tool loop, and after the next user message. */
  readonly keeps_reasoning_in_tool_loop: boolean;
  readonly keeps_reasoning_after_user: boolean;
  /** Tools stand in front of the last user message and move with it. */
  readonly tools_move: boolean;
  readonly cases: readonly NextTurnCase[];
}

export interface NextTurnCase {
  readonly next: "user" | "user, tools offered" | "result" | "two results" | "user, after a tool loop";
  /** Whether the next turn can be prefilled ahead; `why` says why not. */
  readonly warmed: boolean;
  readonly why: string;
  /** Whether the next prompt begins as the last one did; else it is rewritten in front of its last message. */
  readonly keeps_prompt: boolean;
}

export interface MemoryReport {
  readonly on: "cpu" | "gpu";
  readonly threads: number;
  readonly threads_batch: number;
  /** Of one conversation. */
  readonly ctx_tokens: number;
  readonly lanes: number;
  readonly spares: number;
  readonly chunk_min_tokens: number;
  readonly chunk_max_tokens: number;
  /** 0 where no trips are taken. */
  readonly trip_min_tokens: number;
  /** Of one token in all layers that keep the whole context, and in those that keep a sliding window. */
  readonly kv_token_bytes: number;
  readonly window_token_bytes: number;
  /** Of one sequence. */
  readonly recurrent_bytes: number;
  /** What cannot be rolled back, saved once; 0 on dense models. */
  readonly snapshot_bytes: number;
  readonly weight_bytes: number;
  readonly kv_bytes: number;
  readonly compute_bytes: number;
  readonly state_ram_bytes: number;
  /** All of the above. */
  readonly total_bytes: number;
  /** Free before the model was loaded. */
  readonly free_host_bytes: number;
  readonly free_device_bytes: number;
  /** What `state_ram_bytes` holds beside the `lanes + spares` live conversations, by their length. */
  readonly holds: readonly HoldsReport[];
}

export interface HoldsReport {
  readonly conversation_tokens: number;
  /** One conversation: a full save, and snapshots where the model needs them. */
  readonly conversation_bytes: number;
  readonly conversations: number;
}

export interface ExactnessReport {
  /** Kept states are resumed. */
  readonly allowed: boolean;
  readonly why: string;
  /** As at the first use of a setup, run anew. */
  readonly short: WaysReport;
  /** Chunks of full size, enough to write over every cell of a sliding window where the context has room. */
  readonly long: WaysReport;
  readonly decode: {
    /** A reply that is decoded alone, twice. */
    readonly again: boolean;
    /** In one step with others; null where there is one lane. */
    readonly beside_others: boolean | null;
    /** In one step with others they are right, but for low bits; where not, each is decoded alone. */
    readonly together: boolean;
  };
}

/** Same logits as the cold run? */
export interface WaysReport {
  /** Tokens evaluated in each. */
  readonly prompt_tokens: number;
  readonly again: boolean;
  /** In its own sequence. */
  readonly resumed: boolean;
  readonly other_sequence: boolean;
  /** From host memory, over something else. */
  readonly restored: boolean;
  readonly forked: boolean;
}
