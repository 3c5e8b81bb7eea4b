/** Expressions of a template as JavaScript functions, made once when the template is loaded. */
import { attribute, callMethod, slice, subscript } from "./access.ts";
import type { Argument, Call, Expression, FilterNode, Member } from "./ast.ts";
import { wrong } from "./errors.ts";
import { filterNamed, isFilter } from "./filters.ts";
import type { Evaluate, Frame } from "./frame.ts";
import { negative, OPERATORS, positive } from "./operators.ts";
import { str } from "./print.ts";
import { testNamed } from "./tests.ts";
import {
  type Args,
  Callable,
  Float,
  isDict,
  iterate,
  keyOf,
  Loop,
  Markup,
  plain,
  truth,
  tupleOf,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

const CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
]);

export function expression(node: Expression): Evaluate {
  switch (node.type) {
    case "StringLiteral":
      return constant(node.value);
    case "IntegerLiteral":
      return constant(node.value);
    case "FloatLiteral":
      return constant(new Float(node.value));
    case "Identifier":
      return identifier(node.value);
    case "ArrayLiteral":
      return listOf(node.value);
    case "TupleLiteral": {
      const items = listOf(node.value);
      return (frame) => tupleOf(items(frame));
    }
    case "ObjectLiteral":
      return dictOf(node.value);
    case "MemberExpression":
      return member(node);
    case "CallExpression":
      return call(node);
    case "UnaryExpression":
      return unary(node.operator.value, expression(node.argument));
    case "BinaryExpression":
      return binary(node.operator.value, expression(node.left), expression(node.right));
    case "FilterExpression":
      return filtered(expression(node.operand), node.filter);
    case "TestExpression":
      return tested(node.test.value, expression(node.operand), argumentsOf(node.args), node.negate);
    case "Ternary":
      return choice(node.condition, node.trueExpr, node.falseExpr);
    case "SelectExpression":
      return choice(node.test, node.lhs, undefined);
    default:
      throw wrong(`The syntax ${String((node as { type: unknown }).type)} is not known here.`);
  }
}

function constant(value: Value): Evaluate {
  return () => value;
}

function identifier(name: string): Evaluate {
  const known = CONSTANTS.get(name);
  return known === undefined ? (frame) => frame.get(name) : constant(known);
}

function listOf(nodes: readonly Expression[]): (frame: Frame) => Value[] {
  const items = nodes.map(expression);
  return (frame) => items.map((item) => item(frame));
}

function dictOf(nodes: ReadonlyMap<Expression, Expression>): Evaluate {
  const pairs = [...nodes].map(([key, value]) => [expression(key), expression(value)] as const);
  return (frame) => new Map(pairs.map(([key, value]) => [keyOf(key(frame)), value(frame)]));
}

function choice(condition: Expression, yes: Expression, no: Expression | undefined): Evaluate {
  const test = expression(condition);
  const whenTrue = expression(yes);
  if (no === undefined) {
    return (frame) =>
      truth(test(frame)) ? whenTrue(frame) : new Undefined("the inline if-expression had no else section");
  }
  const whenFalse = expression(no);
  return (frame) => (truth(test(frame)) ? whenTrue(frame) : whenFalse(frame));
}

function unary(sign: string, operand: Evaluate): Evaluate {
  if (sign === "not") return (frame) => !truth(operand(frame));
  const apply = sign === "-" ? negative : positive;
  return (frame) => apply(operand(frame));
}

function binary(sign: string, left: Evaluate, right: Evaluate): Evaluate {
  if (sign === "and") {
    return (frame) => {
      const value = left(frame);
      return truth(value) ? right(frame) : value;
    };
  }
  if (sign === "or") {
    return (frame) => {
      const value = left(frame);
      return truth(value) ? value : right(frame);
    };
  }
  const operator = OPERATORS.get(sign);
  if (operator === undefined) throw wrong(`The operator ${sign} is not known here.`);
  return (frame) => operator(left(frame), right(frame));
}

function member(node: Member): Evaluate {
  const object = expression(node.object);
  const { property } = node;
  if (property.type === "SliceExpression") {
    const [start, stop, step] = [property.start, property.stop, property.step].map((bound) =>
      bound === undefined ? constant(null) : expression(bound),
    );
    return (frame) =>
      slice(object(frame), start?.(frame) ?? null, stop?.(frame) ?? null, step?.(frame) ?? null);
  }
  if (!node.computed && property.type === "Identifier") {
    const name = property.value;
    return (frame) => attribute(object(frame), name);
  }
  const key = expression(property);
  return (frame) => subscript(object(frame), key(frame));
}

/** Arguments, positional ones first, as Python evaluates them. */
export function argumentsOf(nodes: readonly Argument[]): (frame: Frame) => Args {
  const positional: ((frame: Frame, into: Value[]) => void)[] = [];
  const named: ((frame: Frame, into: Map<string, Value>) => void)[] = [];
  for (const node of nodes) {
    if (node.type === "KeywordArgumentExpression") {
      const value = expression(node.value);
      named.push((frame, into) => into.set(node.key.value, value(frame)));
    } else if (node.type === "SpreadExpression") {
      const items = expression(node.argument);
      positional.push((frame, into) => into.push(...iterate(items(frame))));
    } else if (node.type === "KeywordSpreadExpression") {
      const items = expression(node.argument);
      named.push((frame, into) => spread(items(frame), into));
    } else {
      const value = expression(node as Expression);
      positional.push((frame, into) => into.push(value(frame)));
    }
  }
  return (frame) => {
    const args = { positional: [] as Value[], named: NONE_NAMED };
    for (const add of positional) add(frame, args.positional);
    if (named.length === 0) return args;
    const names = new Map<string, Value>();
    for (const add of named) add(frame, names);
    return { ...args, named: names };
  };
}

const NONE_NAMED: ReadonlyMap<string, Value> = new Map();

function spread(value: Value, into: Map<string, Value>): void {
  if (!isDict(value)) throw wrong(`argument after ** must be a mapping, not ${typeName(value)}`);
  for (const [name, item] of value) into.set(str(name), item);
}

function call(node: Call): Evaluate {
  const given = argumentsOf(node.args);
  const { callee } = node;
  if (callee.type === "MemberExpression" && !callee.computed && callee.property.type === "Identifier") {
    const object = expression(callee.object);
    const name = callee.property.value;
    return (frame) => {
      const self = object(frame);
      frame.budget.spend(costOf(self));
      const args = given(frame);
      const value = callMethod(self, name, args);
      return value === undefined ? callValue(attribute(self, name), args) : value;
    };
  }
  const target = expression(callee);
  return (frame) => {
    frame.budget.spend(1);
    return callValue(target(frame), given(frame));
  };
}

/** Work on a long text counts more. */
function costOf(value: Value): number {
  if (typeof value === "string") return 1 + (value.length >> 12);
  return Array.isArray(value) ? 1 + (value.length >> 6) : 1;
}

export function callValue(target: Value, given: Args): Value {
  if (target instanceof Callable) return target.call(given);
  if (target instanceof Loop && target.recurse !== undefined)
    return target.recurse(given.positional[0] ?? null);
  if (target instanceof Undefined) throw wrong(target.why);
  throw wrong(`'${typeName(target)}' object is not callable`);
}

/** `operand | filter`; the filter is looked up when it runs, so that one that never runs may be unknown. */
export function filtered(operand: Evaluate, node: FilterNode): Evaluate {
  const name = filterName(node);
  const given = argumentsOf(node.type === "CallExpression" ? node.args : []);
  return (frame) => {
    const value = operand(frame);
    frame.budget.spend(costOf(value));
    return filterNamed(name)(value, given(frame));
  };
}

function filterName(node: FilterNode): string {
  if (node.type === "Identifier") return node.value;
  if (node.callee.type === "Identifier") return node.callee.value;
  throw wrong("A filter must have a name.");
}

function tested(name: string, operand: Evaluate, given: (frame: Frame) => Args, negate: boolean): Evaluate {
  return (frame) => {
    const value = operand(frame);
    // Here and not in the table of tests, which filters import.
    if (name === "filter") return isFilter(plain(value)) !== negate;
    const marked = name === "escaped" && value instanceof Markup;
    return (marked || testNamed(name)(plain(value), ...given(frame).positional)) !== negate;
  };
}
