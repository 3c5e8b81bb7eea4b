/** What was loaded, where it lies and what its memory holds: for people, at the start; nothing is decided by it. */
export interface ModelFacts {
  /** The library's own short description, e.g. `qwen3 8B Q4_K - Medium`. */
  readonly description: string;
  /** `qwen3`, `lfm2`, … */
  readonly architecture: string;
  /** As the library names the file's type, e.g. `Q4_K - Medium`. */
  readonly quantisation: string;
  /** Count of weights. */
  readonly parameters: number;
  /** Bytes of all tensors. */
  readonly weightBytes: number;
  /** GPUs by name, or the CPU's variant. */
  readonly devices: readonly string[];
  /** Bytes of all sequences' memory, allocated up front. */
  readonly kvBytes: number;
  /** Host memory for kept states, bytes. */
  readonly stateRamBytes: number;
  /** Bytes that each token of a conversation adds to its state; 0 on a recurrent model. */
  readonly tokenBytes: number;
  /** Bytes of one snapshot (recurrent rows, sliding window); 0 on a dense model. */
  readonly snapshotBytes: number;
}
