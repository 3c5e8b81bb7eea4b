/**
 * Reads one call in the Hermes/Qwen form, `{"name": …, "arguments": {…}}`, as it comes. The call opens when
 * its name is known and its arguments begin; from then on the arguments are passed on as raw JSON text. What
 * turns out malformed before that is given back as text. A character at a time, so that no split can matter.
 */
export type CallEvent =
  | { readonly type: "open"; readonly name: string }
  | { readonly type: "arguments"; readonly text: string };

export type CallStatus =
  | "reading"
  /** The object is complete. */
  | "closed"
  /** No call was opened: `raw` is text. */
  | "malformed"
  /** The call was opened, then broke: it stays a call with the arguments as they came. */
  | "broken";

type State =
  | "start"
  | "key-or-end"
  | "key"
  | "in-key"
  | "colon"
  | "value"
  | "in-string"
  | "in-nested"
  | "in-scalar"
  | "comma-or-end";

const BLANK = /[ \t\r\n]/;

export class CallReader {
  status: CallStatus = "reading";
  /** All characters taken so far, for the case that they are text. */
  raw = "";
  readonly #emit: (event: CallEvent) => void;
  #state: State = "start";
  #key = "";
  #name: string | undefined;
  #opened = false;
  /** Arguments that came before the name, or as a string. */
  #arguments: string | undefined;
  #token = "";
  #escaped = false;
  #depth = 0;
  #inString = false;
  #streaming = false;

  constructor(emit: (event: CallEvent) => void) {
    this.#emit = emit;
  }

  /** Whether the client has seen the call. */
  get opened(): boolean {
    return this.#opened;
  }

  /** Takes one character; false when it does not belong to the call (then `status` says why). */
  take(char: string): boolean {
    const taken = this.#step(char);
    if (taken) this.raw += char;
    return taken;
  }

  #step(char: string): boolean {
    switch (this.#state) {
      case "in-key":
      case "in-string":
        return this.#string(char);
      case "in-nested":
        return this.#nested(char);
      case "in-scalar":
        return this.#scalar(char);
      default:
        return BLANK.test(char) || this.#structure(char);
    }
  }

  #structure(char: string): boolean {
    switch (this.#state) {
      case "start":
        return char === "{" ? this.#to("key-or-end") : this.#fail();
      case "key-or-end":
        if (char === "}") return this.#close();
        return this.#key0(char);
      case "key":
        return this.#key0(char);
      case "colon":
        return char === ":" ? this.#to("value") : this.#fail();
      case "value":
        return this.#value(char);
      default:
        if (char === ",") return this.#to("key");
        return char === "}" ? this.#close() : this.#fail();
    }
  }

  #key0(char: string): boolean {
    if (char !== '"') return this.#fail();
    this.#token = char;
    return this.#to("in-key");
  }

  #value(char: string): boolean {
    this.#token = char;
    if (char === '"') return this.#to("in-string");
    if (char === "{" || char === "[") {
      this.#depth = 1;
      this.#inString = false;
      this.#streaming = this.#key === "arguments" && char === "{" && this.#canOpen();
      if (this.#streaming) {
        this.#open();
        this.#emit({ type: "arguments", text: char });
      }
      return this.#to("in-nested");
    }
    return /[-0-9tfn]/.test(char) ? this.#to("in-scalar") : this.#fail();
  }

  #canOpen(): boolean {
    return this.#name !== undefined && !this.#opened && this.#arguments === undefined;
  }

  #open(): void {
    if (this.#opened || this.#name === undefined) return;
    this.#opened = true;
    this.#emit({ type: "open", name: this.#name });
  }

  #string(char: string): boolean {
    this.#token += char;
    if (this.#escaped) this.#escaped = false;
    else if (char === "\\") this.#escaped = true;
    else if (char === '"') return this.#stringEnds();
    return true;
  }

  #stringEnds(): boolean {
    const text = parseString(this.#token);
    if (text === undefined) return this.#fail();
    if (this.#state === "in-key") {
      this.#key = text;
      return this.#to("colon");
    }
    if (this.#key === "name" && this.#name === undefined) {
      if (text === "") return this.#fail();
      this.#name = text;
    }
    // Some models write the arguments as JSON in a string.
    if (this.#key === "arguments" && !this.#opened) this.#arguments ??= text;
    return this.#to("comma-or-end");
  }

  #nested(char: string): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (char === "\\") this.#escaped = true;
      else if (char === '"') this.#inString = false;
    } else if (char === '"') this.#inString = true;
    else if (char === "{" || char === "[") this.#depth += 1;
    else if (char === "}" || char === "]") this.#depth -= 1;
    else if (char === "<") return this.#fail();
    if (this.#streaming) this.#emit({ type: "arguments", text: char });
    else this.#token += char;
    return this.#depth > 0 || this.#nestedEnds();
  }

  #nestedEnds(): boolean {
    if (!this.#streaming && this.#key === "arguments" && !this.#opened) this.#arguments ??= this.#token;
    this.#streaming = false;
    return this.#to("comma-or-end");
  }

  #scalar(char: string): boolean {
    if (/[-+.0-9a-zA-Z]/.test(char)) {
      this.#token += char;
      return true;
    }
    if (!isJson(this.#token)) return this.#fail();
    this.#to("comma-or-end");
    return BLANK.test(char) || this.#structure(char);
  }

  #close(): boolean {
    if (!this.#opened) {
      if (this.#name === undefined) return this.#fail();
      const text = this.#arguments?.trim() || "{}";
      if (!isJsonObject(text)) return this.#fail();
      this.#open();
      this.#emit({ type: "arguments", text });
    }
    this.status = "closed";
    return true;
  }

  #to(state: State): boolean {
    this.#state = state;
    return true;
  }

  #fail(): boolean {
    this.status = this.#opened ? "broken" : "malformed";
    return false;
  }
}

function parseString(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isJsonObject(text: string): boolean {
  return text.trimStart().startsWith("{") && isJson(text);
}
