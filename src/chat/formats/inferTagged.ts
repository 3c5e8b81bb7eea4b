/** Arguments between tags, from renders with one argument, with two, and with a value of each kind. */
import type { Json } from "../../json/json.ts";
import type { TaggedArguments } from "../CallFormat.ts";
import { commonEnd, commonStart } from "./atoms.ts";
import { objectOf, type ReplyTrial, TRIAL_NAMES } from "./ReplyTrial.ts";

const [NAME] = TRIAL_NAMES;
/** What JSON, XML and Python each write in a way of their own. */
const TRICKY = "wtd' \\ <b>&\nü\"wte";

export interface TaggedFound {
  readonly kind: TaggedArguments;
  /** The one argument whole, its tags included. */
  readonly span: string;
  /** What stands between the name and the first argument. */
  readonly middle: string;
}

/** `text` is the render of one call of `wtkeya: "wtvaluea"`. */
export function inferTagged(trial: ReplyTrial, text: string): TaggedFound | null {
  const single = between(text, NAME, "wtkeya", "wtvaluea");
  const pair = render(trial, { wtkeya: "wtvaluea", wtkeyb: "wtvalueb" });
  const double = pair === undefined ? null : between(pair, "wtvaluea", "wtkeyb", "wtvalueb");
  if (single === null || double === null) return null;
  const [toKey, textKeyEnd, tail] = single;
  const [gap] = double;
  const keyStart = commonEnd(toKey, gap);
  const middle = toKey.slice(0, toKey.length - keyStart.length);
  const closes = gap.slice(0, gap.length - keyStart.length);
  const valueEnd = commonStart(closes, tail);
  if (keyStart.trim() === "" || valueEnd.trim() === "" || textKeyEnd === "") return null;
  const quoted = textKeyEnd.endsWith('"') && valueEnd.startsWith('"');
  const number = render(trial, { wtnumber: 748159 });
  const keyEnd = (number === undefined ? null : between(number, NAME, "wtnumber", "748159"))?.[1];
  const strip = (end: string) => (quoted ? end.replace(/"$/, "") : end);
  return {
    kind: {
      kind: "tagged",
      keyStart,
      textKeyEnd: strip(textKeyEnd),
      keyEnd: keyEnd ?? strip(textKeyEnd),
      valueEnd: quoted ? valueEnd.slice(1) : valueEnd,
      separator: closes.slice(valueEnd.length),
      texts: textsOf(trial, quoted),
      nested: prints(trial, { wtlist: ["wtx", 1] }, "['wtx', 1]") ? "python" : "json",
      words: prints(trial, { wtflag: true }, "True") ? "python" : "json",
    },
    span: `${keyStart}wtkeya${textKeyEnd}wtvaluea${valueEnd}`,
    middle,
  };
}

function textsOf(trial: ReplyTrial, quoted: boolean): TaggedArguments["texts"] {
  if (quoted) return "json";
  return prints(trial, { wtkeya: TRICKY }, "<![CDATA[") ? "cdata" : "raw";
}

function render(trial: ReplyTrial, args: Readonly<Record<string, unknown>>): string | undefined {
  return trial.calls([{ name: NAME, arguments: objectOf(args) }]);
}

function prints(trial: ReplyTrial, args: Readonly<Record<string, Json | unknown>>, word: string): boolean {
  return render(trial, args)?.includes(word) === true;
}

/** The texts from `a` to `b`, from `b` to `c`, and behind `c`. */
function between(text: string, a: string, b: string, c: string): [string, string, string] | null {
  const second = text.indexOf(b);
  const first = text.lastIndexOf(a, second);
  const third = text.indexOf(c, second + b.length);
  if (first < 0 || second < 0 || third < 0) return null;
  return [
    text.slice(first + a.length, second),
    text.slice(second + b.length, third),
    text.slice(third + c.length),
  ];
}
