/**
 * Tool arguments as a prompt has to hold them: `", "` and `": "`, keys in schema order and then as sent,
 * numbers as they were spelled. Read from raw text, because JavaScript values lose spelling and order.
 */
import type { WireSchema } from "../clients/wire.ts";

type Node =
  | { readonly kind: "scalar"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly Node[] }
  | { readonly kind: "object"; readonly fields: readonly (readonly [key: string, value: Node])[] };

/** Undefined where the text is no JSON object: it is then shown as it was sent. Blank text is `{}`. */
export function argumentText(sent: string, schema: WireSchema | undefined): string | undefined {
  if (sent.trim() === "") return "{}";
  try {
    JSON.parse(sent);
  } catch {
    return undefined;
  }
  const node = new Reader(sent).read();
  return node.kind === "object" ? written(node, schema) : undefined;
}

function written(node: Node, schema: WireSchema | undefined): string {
  if (node.kind === "scalar") return node.text;
  if (node.kind === "list") return `[${node.items.map((item) => written(item, schema?.items)).join(", ")}]`;
  const place = Object.keys(schema?.properties ?? {});
  const rank = (key: string) => (place.includes(key) ? place.indexOf(key) : place.length);
  const fields = [...node.fields].sort(([a], [b]) => rank(a) - rank(b));
  const texts = fields.map(
    ([key, value]) => `${JSON.stringify(key)}: ${written(value, schema?.properties?.[key])}`,
  );
  return `{${texts.join(", ")}}`;
}

/** Reads text that is known to be valid JSON. */
class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g) ?? [];
  }

  read(): Node {
    const token = this.#next();
    if (token === "[") return { kind: "list", items: this.#until("]", () => this.read()) };
    if (token === "{") return { kind: "object", fields: this.#until("}", () => this.#field()) };
    const text = token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token;
    return { kind: "scalar", text };
  }

  #field(): readonly [string, Node] {
    const key = String(JSON.parse(this.#next()));
    this.#next();
    return [key, this.read()];
  }

  #until<T>(close: string, item: () => T): T[] {
    const items: T[] = [];
    while (this.#tokens[this.#at] !== close) {
      items.push(item());
      if (this.#tokens[this.#at] === ",") this.#at++;
    }
    this.#at++;
    return items;
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? "";
  }
}
