/** What a template may call without importing anything: Jinja's globals and those of `transformers`. */
import { Params, wholeNumber } from "./args.ts";
import { entriesOf } from "./collectionMethods.ts";
import { TemplateRaised, wrong } from "./errors.ts";
import type { Frame } from "./frame.ts";
import { str } from "./print.ts";
import { strftime } from "./strftime.ts";
import { type Args, Callable, keyOf, Namespace, type Value } from "./values.ts";

/** As in Jinja's sandbox. */
const RANGE_MAX = 100_000;

export function setGlobals(frame: Frame, today: Date): void {
  const globals: Readonly<Record<string, (given: Args) => Value>> = {
    range: (given) => {
      const items = range(given.positional);
      frame.budget.spend(items.length);
      return items;
    },
    dict: ({ positional, named }) => new Map<Value, Value>([...entriesIn(positional), ...named]),
    namespace: ({ positional, named }) => {
      const made = new Namespace();
      for (const [key, value] of [...entriesIn(positional), ...named]) made.fields.set(str(key), value);
      return made;
    },
    cycler: ({ positional }) => cycler(positional),
    joiner: (given) => joiner(new Params("joiner", given, ["sep"]).orElse("sep", ", ")),
    strftime_now: (given) =>
      strftime(new Params("strftime_now", given, ["format"]).requiredText("format"), today),
    raise_exception: (given) => {
      throw new TemplateRaised(str(new Params("raise_exception", given, ["message"]).required("message")));
    },
  };
  for (const [name, call] of Object.entries(globals)) frame.set(name, new Callable(name, call));
}

function entriesIn(positional: readonly Value[]): [Value, Value][] {
  return positional.flatMap(entriesOf).map(([key, value]) => [keyOf(key), value]);
}

function range(positional: readonly Value[]): Value[] {
  const [a = 0, b, c = 1] = positional.map((value) => wholeNumber(value, "range"));
  const [from, to] = b === undefined ? [0, a] : [a, b];
  if (c === 0) throw wrong("range() arg 3 must not be zero");
  const length = Math.max(0, Math.ceil((to - from) / c));
  if (length > RANGE_MAX) throw wrong(`Range too big. At most ${RANGE_MAX} items are allowed.`);
  return Array.from({ length }, (_, i) => from + i * c);
}

function cycler(items: readonly Value[]): Namespace {
  const made = new Namespace();
  let at = 0;
  const show = () => made.fields.set("current", items[at] ?? null);
  show();
  made.fields.set(
    "next",
    new Callable("next", () => {
      const value = items[at] ?? null;
      at = (at + 1) % items.length;
      show();
      return value;
    }),
  );
  made.fields.set(
    "reset",
    new Callable("reset", () => {
      at = 0;
      show();
      return null;
    }),
  );
  return made;
}

/** Nothing the first time, the separator from then on. */
function joiner(separator: string): Callable {
  let used = false;
  return new Callable("joiner", () => {
    if (used) return separator;
    used = true;
    return "";
  });
}
