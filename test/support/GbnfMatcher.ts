/** Says whether a text matches a GBNF grammar: by sets of end positions, so that no choice is taken too early. */
type Node =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "class"; readonly pattern: RegExp }
  | { readonly type: "rule"; readonly name: string }
  | { readonly type: "sequence"; readonly items: readonly Node[] }
  | { readonly type: "choice"; readonly items: readonly Node[] }
  | { readonly type: "repeat"; readonly item: Node; readonly min: number; readonly max: number };

export class GbnfMatcher {
  readonly #rules = new Map<string, Node>();

  constructor(grammar: string) {
    for (const line of grammar.split("\n")) {
      const [, name, body] = /^([\w-]+) ::= (.*)$/.exec(line) ?? [];
      if (name === undefined || body === undefined) throw new Error(`no rule: ${line}`);
      this.#rules.set(name, new BodyReader(body).read());
    }
  }

  matches(text: string): boolean {
    return this.#ends({ type: "rule", name: "root" }, text, 0).has(text.length);
  }

  #ends(node: Node, text: string, at: number): Set<number> {
    switch (node.type) {
      case "text":
        return new Set(text.startsWith(node.text, at) ? [at + node.text.length] : []);
      case "class": {
        const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
        return new Set(at < text.length && node.pattern.test(char) ? [at + char.length] : []);
      }
      case "rule": {
        const rule = this.#rules.get(node.name);
        if (rule === undefined) throw new Error(`no rule ${node.name}`);
        return this.#ends(rule, text, at);
      }
      case "choice":
        return new Set(node.items.flatMap((item) => [...this.#ends(item, text, at)]));
      case "sequence":
        return node.items.reduce((from, item) => this.#onward(from, item, text), new Set([at]));
      case "repeat":
        return this.#repeat(node, text, at);
    }
  }

  #onward(from: ReadonlySet<number>, item: Node, text: string): Set<number> {
    return new Set([...from].flatMap((at) => [...this.#ends(item, text, at)]));
  }

  #repeat(node: Node & { type: "repeat" }, text: string, at: number): Set<number> {
    const all = new Set<number>(node.min === 0 ? [at] : []);
    let last = new Set([at]);
    for (let count = 1; count <= node.max && last.size > 0; count += 1) {
      last = this.#onward(last, node.item, text);
      if (count >= node.min) {
        for (const end of [...last]) if (all.has(end)) last.delete(end);
        for (const end of last) all.add(end);
      }
    }
    return all;
  }
}

class BodyReader {
  readonly #body: string;
  #at = 0;

  constructor(body: string) {
    this.#body = body;
  }

  read(): Node {
    const items = [this.#sequence()];
    while (this.#take("|")) items.push(this.#sequence());
    return { type: "choice", items };
  }

  #sequence(): Node {
    const items: Node[] = [];
    for (;;) {
      this.#blank();
      const next = this.#body[this.#at];
      if (next === undefined || next === "|" || next === ")") return { type: "sequence", items };
      items.push(this.#repeated(this.#item()));
    }
  }

  #item(): Node {
    if (this.#take("(")) {
      const node = this.read();
      if (!this.#take(")")) throw new Error(`no ) in ${this.#body}`);
      return node;
    }
    const literal = this.#match(/"((?:[^"\\]|\\.)*)"/y);
    if (literal !== undefined) return { type: "text", text: unescaped(literal[1] ?? "") };
    const chars = this.#match(/\[(?:[^\]\\]|\\.)*\]/y);
    if (chars !== undefined) {
      return { type: "class", pattern: new RegExp(chars[0].replace(/(?!^)\[/g, "\\["), "u") };
    }
    const name = this.#match(/[\w-]+/y);
    if (name === undefined) throw new Error(`not understood: ${this.#body.slice(this.#at)}`);
    return { type: "rule", name: name[0] };
  }

  #repeated(item: Node): Node {
    if (this.#take("?", false)) return { type: "repeat", item, min: 0, max: 1 };
    if (this.#take("*", false)) return { type: "repeat", item, min: 0, max: Number.POSITIVE_INFINITY };
    const range = this.#match(/\{(\d+),(\d+)\}/y);
    return range === undefined
      ? item
      : { type: "repeat", item, min: Number(range[1]), max: Number(range[2]) };
  }

  #blank(): void {
    while (this.#body[this.#at] === " ") this.#at += 1;
  }

  #take(char: string, blank = true): boolean {
    if (blank) this.#blank();
    if (this.#body[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const hit = pattern.exec(this.#body);
    if (hit !== null) this.#at = pattern.lastIndex;
    return hit ?? undefined;
  }
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, char: string) => ({ n: "\n", r: "\r", t: "\t" })[char] ?? char);
}
