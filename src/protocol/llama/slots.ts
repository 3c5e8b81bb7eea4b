/**
 * `/slots`: what each lane does, with llama-server's names. Of another key's requests nothing is told but that the
 * lane is busy: its grammar, schema, seed and counts are that key's own.
 */
import type { Lane } from "../../serve/Activity.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";
import { generationSettings } from "./generationSettings.ts";

/** `keyNameOf`: of a tenant; null where there is none. */
export type KeyNameOf = (tenant: string) => string | null;

/** `tenant`: who asks. */
export function slotsOf({ turn }: ServiceDeps, tenant: string, keyNameOf: KeyNameOf): object[] {
  const { ctxTokens } = turn.engine.ready;
  return turn.activity.lanes.map((lane, id) => ({
    id,
    n_ctx: ctxTokens,
    speculative: false,
    is_processing: lane.busy,
    ...(lane.task?.tenant === tenant ? taskOf(lane, keyNameOf) : {}),
  }));
}

function taskOf({ task, busy }: Lane, keyNameOf: KeyNameOf): object {
  if (task === null) return {};
  const key = keyNameOf(task.tenant);
  const { id, promptTokens, sampling, maxTokens, resumed, evaluated, predicted } = task;
  return {
    id_task: id,
    ...(key === null ? {} : { key }),
    n_prompt_tokens: promptTokens,
    n_prompt_tokens_processed: evaluated,
    n_prompt_tokens_cache: resumed,
    params: generationSettings({ sampling, maxTokens, stop: [], stream: true }),
    next_token: [
      {
        has_next_token: busy,
        n_remain: maxTokens === Number.POSITIVE_INFINITY ? -1 : maxTokens - predicted,
        n_decoded: predicted,
      },
    ],
  };
}
