/** One request as the engine works on it, for the endpoints and the log that tell of it. */
import type { Sampling } from "../run/RunSpec.ts";

export interface Task {
  /** Counts the tenant's requests, from 1: how many others send is not told. */
  readonly id: number;
  readonly tenant: string;
  /** Of the request, as its headers and errors name it; "" where it has none. */
  readonly requestId: string;
  /** The conversation's id; missing where it belongs to none. */
  readonly conversation?: string;
  readonly promptTokens: number;
  readonly sampling: Sampling;
  readonly maxTokens: number;
  /** Prompt tokens that were resumed, and that were evaluated. */
  readonly resumed: number;
  readonly evaluated: number;
  readonly predicted: number;
}
