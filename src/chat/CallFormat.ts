/**
 * How a model family spells tool calls, as data: learnt from its template by sentinels, or known by a marker in
 * it. The parser reads by it, the grammar builder forces by it, and the self-test spells by it.
 *
 * Calls are spelt as `sectionStart`, the parts of each call with `separator` between two calls, `sectionEnd`.
 */
export type CallSlot =
  | "name"
  | "arguments"
  /** An id of nine alphanumerics. */
  | "id"
  /** Counts the calls. */
  | "index";

/** `from` is the first call's index; 0 where it is missing. */
export type CallPart = string | { readonly slot: CallSlot; readonly from?: number };

export interface CallFormat {
  /** `json`: name and arguments stand in one JSON object. `named`: the name stands outside the arguments. */
  readonly shape: "json" | "named";
  /** "" where every call stands for itself. */
  readonly sectionStart: string;
  readonly separator: string;
  readonly sectionEnd: string;
  /** In a `json` shape the name stands between quotes that belong to the literals. */
  readonly parts: readonly CallPart[];
  readonly arguments: ArgumentsFormat;
  /** Whether a reply may hold more than one call. */
  readonly several: boolean;
  /** The call may only open the reply (no mark tells it from text), and only with a known tool's name. */
  readonly bare: boolean;
}

export type ArgumentsFormat =
  /** One JSON object, braces included. */
  | { readonly kind: "json" }
  | TaggedArguments
  /** `k='v', n=3, l=[1, True, None]`: keyword arguments with Python literals, the parentheses not included. */
  | { readonly kind: "pythonic" }
  /** Gemma 4: `k:<|"|>v<|"|>,n:3,o:{a:true}`, keys bare and sorted, the outer braces not included. */
  | { readonly kind: "gemma" }
  /** MiniMax-M3: `mark<k>value mark</k>` where a value holds further keys, or `mark<item>` for each of a list. */
  | { readonly kind: "tree"; readonly mark: string };

/** Each argument is `keyStart` key `keyEnd` value `valueEnd`, with `separator` between two. */
export interface TaggedArguments {
  readonly kind: "tagged";
  readonly keyStart: string;
  /** Behind the key of an argument that is a string. */
  readonly textKeyEnd: string;
  /** Behind the key of any other; the same in most families. */
  readonly keyEnd: string;
  readonly valueEnd: string;
  readonly separator: string;
  /** How a string is written: as it is, as a JSON string, or in CDATA where it holds `<`, `&` or a line break. */
  readonly texts: "raw" | "json" | "cdata";
  /** How lists and objects are written. */
  readonly nested: "json" | "python";
  /** How `true` and `null` are written on their own. */
  readonly words: "json" | "python";
}
