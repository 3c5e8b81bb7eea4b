/** A vocabulary whose special tokens are whatever looks like a marker in a template, and those of the golden rows. */
import { isJsonObject } from "../../../src/json/kinds.ts";
import { fromPlain } from "../../../src/json/plainJson.ts";
import { Template } from "../../../src/prompt/Template.ts";
import { FakeVocab } from "../FakeVocab.ts";

const MARKER =
  /<[|｜][^<>\s]{1,60}?[|｜]?>|<\/?[A-Za-z_][\w:.-]{0,40}[|｜]?>|\[\/?[A-Z][A-Z_ ]{1,30}\]|\[\|[a-z_]{1,60}\|\]|\][<~][a-z]?[\w:[\]]{0,12}\[?/g;
/** Tags of every second kind are USER_DEFINED, as tags of words are in most vocabularies. */
const IS_TAG = /^<\/?[a-z]/;

export const BOS = "<|BOS|>";
export const EOS = "<|EOS|>";

/** `template` is what is rendered, where `source` holds more than it. */
export function templateMarkers(source: string, template = source): string[] {
  const found = new Set([BOS, EOS, "<think>", "</think>", "<tool_call>", "</tool_call>"]);
  // Escapes in string literals would split a marker: `\n<tag>`.
  const texts = [source.replace(/\\[nt]/g, "\n"), ...smallRenders(template)];
  // "]<" is where two meet.
  for (const text of texts)
    for (const [marker] of text.matchAll(MARKER)) if (marker !== "]<") found.add(marker);
  return [...found];
}

/** Markers are made of roles, too: `<|{{ message.role }}|>`. What the template refuses is left out. */
function smallRenders(source: string): string[] {
  const template = new Template(source, () => new Date(0));
  return ROLES.flatMap((roles) => {
    const messages = roles.map((role) => ({ role, content: "wt" }));
    try {
      const context = fromPlain({ messages, add_generation_prompt: true, bos_token: "", eos_token: "" });
      return isJsonObject(context) ? [template.render(context)] : [];
    } catch {
      return [];
    }
  });
}

const ROLES = [
  ["user", "assistant", "user"],
  ["system", "user", "assistant", "tool"],
];

export function templateVocab(source: string, template = source): FakeVocab {
  const markers = templateMarkers(source, template);
  return new FakeVocab({
    control: markers.filter((marker) => !IS_TAG.test(marker)),
    userDefined: markers.filter((marker) => IS_TAG.test(marker)),
    bos: BOS,
    eos: EOS,
  });
}
