/** What `/warmturn/live` tells. */
export interface LiveTurn {
  readonly id: number;
  readonly at: number;
  readonly conversation: number | null;
  readonly end: string;
  readonly prompt: number;
  readonly resumed: number;
  readonly warmed: number;
  readonly prefilled: number;
  readonly generated: number;
  readonly first_token_ms: number | null;
  readonly tokens_per_second: number | null;
  readonly ms: number;
  readonly source: string;
  readonly miss: string | null;
  readonly why: string;
}

export interface LiveLane {
  readonly busy: boolean;
  readonly own: {
    readonly conversation: number | null;
    readonly prompt: number;
    readonly resumed: number;
    readonly prefilled: number;
    readonly generated: number;
  } | null;
}

export interface Live {
  readonly model: string;
  readonly asleep: boolean;
  readonly warm: "idle" | "working";
  readonly context: number;
  readonly running: number;
  readonly waiting: number;
  readonly totals: { readonly resumed: number; readonly prefilled: number; readonly generated: number };
  readonly speed: { readonly prefill: number | null; readonly reply: number | null };
  readonly memory: {
    readonly weights: number;
    readonly sequences: number;
    readonly states_max: number;
    readonly process: number | null;
  };
  readonly lanes: readonly LiveLane[];
  readonly turns: readonly LiveTurn[];
}
