/** Jinja's tests: the names behind `is`, which `select` and its like use as well. */
import { wrong } from "./errors.ts";
import { contains, OPERATORS } from "./operators.ts";
import { str } from "./print.ts";
import { isLower, isUpper } from "./stringMethods.ts";
import {
  Callable,
  equal,
  Float,
  isDict,
  Lazy,
  Markup,
  numberOf,
  plain,
  truth,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

export type Test = (value: Value, ...given: readonly Value[]) => boolean;

const isText = (value: Value): boolean => typeof value === "string" || value instanceof Markup;
const isSequence = (value: Value): boolean =>
  isText(value) || Array.isArray(value) || isDict(value) || value instanceof Undefined;
const isInt = (value: Value): boolean => typeof value === "number" || typeof value === "bigint";

export const TESTS: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["defined", (value) => !(value instanceof Undefined)],
  ["undefined", (value) => value instanceof Undefined],
  ["none", (value) => value === null],
  ["boolean", (value) => typeof value === "boolean"],
  ["true", (value) => value === true],
  ["false", (value) => value === false],
  ["integer", isInt],
  ["float", (value) => value instanceof Float],
  ["number", (value) => numberOf(value) !== undefined],
  ["string", isText],
  ["mapping", isDict],
  ["sequence", isSequence],
  ["iterable", (value) => isSequence(value) || value instanceof Lazy],
  ["callable", (value) => value instanceof Callable || value instanceof Undefined],
  ["escaped", (value) => value instanceof Markup],
  ["lower", (value) => isLower(str(value))],
  ["upper", (value) => isUpper(str(value))],
  ["odd", (value) => remainder(value, 2) === 1],
  ["even", (value) => remainder(value, 2) === 0],
  ["divisibleby", (value, by) => remainder(value, by ?? null) === 0],
  [
    "sameas",
    (value, other) =>
      value === other || (isInt(value) && isInt(other ?? null) && equal(value, other ?? null)),
  ],
  ["test", (value) => typeof value === "string" && TESTS.has(value)],
  ["in", (value, where) => contains(where ?? null, value)],
  ...comparisons(["==", "eq", "equalto"], ["!=", "ne"], ["<", "lt", "lessthan"]),
  ...comparisons([">", "gt", "greaterthan"], ["<=", "le"], [">=", "ge"]),
]);

function comparisons(...rows: readonly (readonly [sign: string, ...names: string[]])[]): [string, Test][] {
  return rows.flatMap(([sign, ...names]) => {
    const test: Test = (a, b) => truth(OPERATORS.get(sign)?.(a, b ?? null) ?? false);
    return [sign, ...names].map((name): [string, Test] => [name, test]);
  });
}

function remainder(value: Value, by: Value): number {
  const rest = OPERATORS.get("%")?.(value, by) ?? null;
  const number = numberOf(rest);
  if (number === undefined) throw wrong(`not a number: '${typeName(value)}'`);
  return number instanceof Float ? number.value : Number(number);
}

export function testNamed(name: string): Test {
  const test = TESTS.get(name);
  if (test === undefined) throw wrong(`No test named '${name}'.`);
  return (value, ...given) => test(value, ...given.map(plain));
}
