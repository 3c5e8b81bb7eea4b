/**
 * The only file that touches the template engine. It hands Json over as the engine's own runtime values, so that
 * key order and the spelling of numbers reach the prompt, and sets up the globals that a template may call.
 */
import { Environment, Interpreter, Template as Parsed } from "@huggingface/jinja";
import type { Json, JsonNumber, JsonObject } from "../json/json.ts";
import { isJsonArray, isJsonObject } from "../json/kinds.ts";

type Value = ReturnType<Environment["lookupVariable"]>;
type Program = Parsed["parsed"];
type MakeValue = new (content: unknown) => Value;

/** Thrown by a template's own `raise_exception`. */
export class TemplateRaised extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TemplateRaised";
  }
}

/** Throws SyntaxError where the source is no template. */
export function parseTemplate(source: string): Program {
  return new Parsed(source).parsed;
}

/** Renders with `context` as the template's variables. `today` answers `strftime_now`. */
export function renderTemplate(program: Program, context: JsonObject, today: Date): string {
  const env = new Environment();
  const globals: Readonly<Record<string, unknown>> = {
    true: true,
    True: true,
    false: false,
    False: false,
    none: null,
    None: null,
    range: pythonRange,
    strftime_now: (format: string) => strftime(format, today),
    raise_exception: (message: unknown) => {
      throw new TemplateRaised(String(message));
    },
  };
  for (const [name, value] of Object.entries(globals)) env.set(name, value);
  // setVariable, not set: a request's variable may carry the name of a global.
  for (const [name, value] of context) env.setVariable(name, runtimeValue(value));
  return String(new Interpreter(env).run(program).value);
}

/** The engine exports no value classes; it gives samples of each. */
const samples = new Environment();
let named = 0;
const makeNull = makerOf(null);
const makeString = makerOf("");
const makeBoolean = makerOf(true);
const makeObject = makerOf({});
const makeArray = makerOf([]);
const makeInteger = makerOf(1);
const makeFloat = makerOf(0.5);

function makerOf(sample: unknown): (content: unknown) => Value {
  const Made = samples.set(`sample${named++}`, sample).constructor as MakeValue;
  return (content) => new Made(content);
}

function runtimeValue(value: Json): Value {
  if (value === null) return makeNull(undefined);
  if (typeof value === "string") return makeString(value);
  if (typeof value === "boolean") return makeBoolean(value);
  if (isJsonArray(value)) return makeArray(value.map(runtimeValue));
  if (isJsonObject(value)) {
    return makeObject(new Map([...value].map(([key, item]) => [key, runtimeValue(item)])));
  }
  const make = /^-?[0-9]+$/.test(value.raw) ? makeInteger : makeFloat;
  return make(JSON.stringify(Number(value.raw)) === value.raw ? Number(value.raw) : new SpelledNumber(value));
}

/** Computes as a number and prints as it was written: `2.0`, `1e-7`, integers of 20 digits. */
class SpelledNumber extends Number {
  readonly #raw: string;
  constructor(number: JsonNumber) {
    super(Number(number.raw));
    this.#raw = number.raw;
  }
  override toString(): string {
    return this.#raw;
  }
  /** The engine prints whole floats by it. */
  override toFixed(): string {
    return this.#raw;
  }
  toJSON(): unknown {
    return rawJson(this.#raw);
  }
}

/** `JSON.rawJSON`, which TypeScript's library does not know yet: text that `JSON.stringify` prints as it is. */
function rawJson(text: string): unknown {
  const make: unknown = Reflect.get(JSON, "rawJSON");
  if (typeof make !== "function") throw new Error("This runtime has no JSON.rawJSON");
  return make(text);
}

function pythonRange(start: number, stop?: number, step = 1): number[] {
  const [from, to] = stop === undefined ? [0, start] : [start, stop];
  if (step === 0) throw new Error("range() arg 3 must not be zero");
  const out: number[] = [];
  for (let at = from; step > 0 ? at < to : at > to; at += step) out.push(at);
  return out;
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Only the clock's date is let into a prompt: the time of day is always midnight. English names, as in C. */
export function strftime(format: string, today: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = today.getDate();
  const month = today.getMonth();
  const parts: Readonly<Record<string, string>> = {
    Y: String(today.getFullYear()),
    y: two(today.getFullYear() % 100),
    m: two(month + 1),
    d: two(day),
    e: String(day).padStart(2, " "),
    B: MONTHS[month] ?? "",
    b: (MONTHS[month] ?? "").slice(0, 3),
    A: DAYS[today.getDay()] ?? "",
    a: (DAYS[today.getDay()] ?? "").slice(0, 3),
    H: "00",
    I: "12",
    M: "00",
    S: "00",
    p: "AM",
    "%": "%",
    "-d": String(day),
    "-m": String(month + 1),
    "-H": "0",
    "-I": "12",
  };
  return format.replace(/%(-?[A-Za-z%])/g, (whole, key: string) => parts[key] ?? whole);
}
