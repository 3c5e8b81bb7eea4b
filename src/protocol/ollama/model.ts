/** Bodies of `/api/chat` and `/api/generate` to a Turn. Unknown fields are ignored; what is wrong is named. */
import { canonicalMessages, canonicalTools } from "../../chat/canonical.ts";
import { arrayAt, invalid, objectAt } from "../../chat/fields.ts";
import type { Message, Tool, Turn } from "../../chat/Message.ts";
import type { Json } from "../../json/json.ts";
import { RequestFields } from "../shared/RequestFields.ts";
import { readPrompts, type SentPrompt } from "../shared/rawPrompts.ts";
import type { SamplingRules } from "../shared/sampling.ts";
import { isNothing, sentMessages, withPictures } from "./sentMessages.ts";
import { type OllamaSettings, readSettings } from "./settings.ts";

export interface OllamaRequest extends OllamaSettings {
  /** Null where the request says nothing to the model: it wants it loaded, which it is. */
  readonly turn: Turn | null;
  /** A prompt that no template is put around, in its place. */
  readonly raw?: SentPrompt;
  /** Calls that the messages hold. */
  readonly calls: number;
}

export function readChatRequest(body: Json, rules: SamplingRules): OllamaRequest {
  const fields = new RequestFields(objectAt(body, "body"));
  const settings = readSettings(fields, rules);
  const tools = canonicalTools(fields.get("tools") ?? null);
  const sent = fields.get("messages");
  if (isNothing(sent)) return { ...settings, turn: null, calls: 0 };
  const { messages, calls } = sentMessages(sent);
  return { ...settings, ...turnOf(messages, tools, settings), calls };
}

export function readGenerateRequest(body: Json, rules: SamplingRules): OllamaRequest {
  const fields = new RequestFields(objectAt(body, "body"));
  const settings = readSettings(fields, rules);
  const prompt = fields.text("prompt") ?? "";
  const system = fields.text("system") ?? "";
  const images = fields.get("images") ?? null;
  if ((fields.text("suffix") ?? "") !== "") {
    throw invalid("suffix", "is not served here; /infill fills in the middle.");
  }
  const isRaw = fields.boolean("raw", false);
  const template = fields.text("template") ?? "";
  const context = arrayAt(fields.get("context") ?? [], "context");
  const unread = [...(template === "" ? [] : ["template"]), ...(context.length === 0 ? [] : ["context"])];
  const ignored = [
    ...settings.ignored,
    ...unread.map((name) => `${name}: is not read; the model's own template and the prompt are.`),
  ];
  const read = { ...settings, ignored, calls: 0 };
  if (isNothing(prompt) && isNothing(images)) return { ...read, turn: null };
  if (isRaw) {
    const [raw] = readPrompts(prompt, rules);
    return { ...read, turn: null, ...(raw === undefined ? {} : { raw }) };
  }
  const asked = new Map<string, Json>([
    ["role", "user"],
    ["content", prompt],
    ["images", images],
  ]);
  const said = new Map<string, Json>([
    ["role", "system"],
    ["content", system],
  ]);
  const messages = [...(system === "" ? [] : [said]), withPictures(asked, "body")];
  return { ...read, ...turnOf(messages, [], read) };
}

function turnOf(
  sent: readonly Json[],
  tools: readonly Tool[],
  settings: OllamaSettings,
): Pick<OllamaRequest, "turn" | "ignored"> {
  const notes = new Set<string>();
  const messages: readonly Message[] = canonicalMessages(sent, tools, "messages", (note) => notes.add(note));
  const { sampling, stop, maxTokens, textSchema, kwargs } = settings;
  return {
    ignored: [...settings.ignored, ...notes],
    turn: {
      prompt: { messages, tools, kwargs },
      toolChoice: { type: "auto" },
      parallelCalls: true,
      ...(textSchema === undefined ? {} : { textSchema }),
      sampling,
      maxTokens,
      stop,
    },
  };
}
