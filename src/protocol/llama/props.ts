/** `/props`: the server's settings and its model, with llama-server's names. */
import type { TemplateCaps } from "../../prompt/learn/TemplateCaps.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";
import { generationSettings } from "./generationSettings.ts";

export function propsOf({ turn, models, sampling, card, endpoints }: ServiceDeps): object {
  const { ctxTokens, lanes } = turn.engine.ready;
  const settings = {
    sampling: sampling.defaults,
    maxTokens: Number.POSITIVE_INFINITY,
    stop: [],
    stream: true,
  };
  return {
    default_generation_settings: { params: generationSettings(settings), n_ctx: ctxTokens },
    total_slots: lanes,
    model_alias: models.name,
    model_path: card.path,
    modalities: { vision: false, video: false, audio: false },
    endpoint_slots: endpoints.slots,
    endpoint_props: false,
    endpoint_metrics: endpoints.metrics,
    chat_template: card.template,
    ...(card.toolUseTemplate === null ? {} : { chat_template_tool_use: card.toolUseTemplate }),
    chat_template_caps: capsOf(turn.prompter.caps),
    bos_token: card.bosText,
    eos_token: card.eosText,
    build_info: card.build,
    is_sleeping: false,
  };
}

/** What the template does by itself; what it does not, the host does for it. */
function capsOf(caps: TemplateCaps): object {
  return {
    supports_string_content: caps.content === "text",
    supports_typed_content: caps.content === "parts",
    supports_tools: caps.toolRole && caps.calls === "rendered",
    supports_tool_calls: caps.calls === "rendered",
    supports_parallel_tool_calls: caps.callsAtOnce === "many",
    supports_system_role: caps.systemRole,
    supports_object_arguments: caps.arguments === "object",
  };
}
