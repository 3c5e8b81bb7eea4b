/** Statements of a template as JavaScript functions, made once when the template is loaded. */
import type { CallBlock, Expression, For, Macro, Parameter, SetNode, Statement, With } from "./ast.ts";
import { checkedLength } from "./budget.ts";
import { wrong } from "./errors.ts";
import { argumentsOf, callValue, expression, filtered } from "./expressions.ts";
import type { Evaluate, Frame, Out } from "./frame.ts";
import { str } from "./print.ts";
import {
  type Args,
  Callable,
  iterate,
  Loop,
  Namespace,
  truth,
  tupleOf,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

/** How a statement ended: "" went on, else what the loop around it has to do. */
type Ending = "" | "break" | "continue";

export type Run = (frame: Frame, out: Out) => Ending;

export function block(nodes: readonly Statement[]): Run {
  const runs = nodes.filter((node) => node.type !== "Comment").map(statement);
  return (frame, out) => {
    for (const run of runs) {
      const ending = run(frame, out);
      if (ending !== "") return ending;
    }
    return "";
  };
}

function statement(node: Statement): Run {
  switch (node.type) {
    case "StringLiteral": {
      const text = node.value;
      return writing(() => text);
    }
    case "If":
      return branch(expression(node.test), block(node.body), block(node.alternate));
    case "For":
      return loop(node);
    case "Set":
      return assignment(node);
    case "Macro":
      return macroDefinition(node);
    case "CallStatement":
      return callBlock(node);
    case "With":
      return withBlock(node);
    case "FilterStatement": {
      const value = filtered(captured(block(node.body)), node.filter);
      return writing((frame) => str(value(frame)));
    }
    case "Break":
      return () => "break";
    case "Continue":
      return () => "continue";
    case "Comment":
      return () => "";
    default: {
      const value = expression(node);
      return writing((frame) => str(value(frame)));
    }
  }
}

function writing(text: (frame: Frame) => string): Run {
  return (frame, out) => {
    out.text += text(frame);
    return "";
  };
}

/** What a block writes, as a value; it has a frame of its own. */
function captured(body: Run): Evaluate {
  return (frame) => {
    const out: Out = { text: "" };
    body(frame.inner(), out);
    return out.text;
  };
}

function branch(test: Evaluate, yes: Run, no: Run): Run {
  return (frame, out) => (truth(test(frame)) ? yes(frame, out) : no(frame, out));
}

type Assign = (frame: Frame, value: Value) => void;

/** A name, several to unpack to, or a namespace's attribute. */
function target(node: Expression): Assign {
  if (node.type === "Identifier") {
    const name = node.value;
    return (frame, value) => frame.set(name, value);
  }
  if (node.type === "TupleLiteral" || node.type === "ArrayLiteral") {
    const parts = node.value.map(target);
    return (frame, value) => unpack(parts, frame, value);
  }
  if (node.type === "MemberExpression" && node.property.type === "Identifier") {
    const object = expression(node.object);
    const name = node.property.value;
    return (frame, value) => {
      const owner = object(frame);
      if (!(owner instanceof Namespace)) throw wrong("cannot assign attribute on non-namespace object");
      owner.fields.set(name, value);
    };
  }
  throw wrong(`can't assign to '${node.type}'`);
}

function unpack(parts: readonly Assign[], frame: Frame, value: Value): void {
  if (value instanceof Undefined) throw wrong(value.why);
  if (value === null || (typeof value !== "object" && typeof value !== "string")) {
    throw wrong(`cannot unpack non-iterable ${typeName(value)} object`);
  }
  const items = iterate(value);
  if (items.length > parts.length) throw wrong(`too many values to unpack (expected ${parts.length})`);
  if (items.length < parts.length) {
    throw wrong(`not enough values to unpack (expected ${parts.length}, got ${items.length})`);
  }
  for (const [i, assign] of parts.entries()) assign(frame, items[i] ?? null);
}

function loop(node: For): Run {
  const filter = node.iterable.type === "SelectExpression" ? node.iterable : undefined;
  const iterable = expression(filter?.lhs ?? node.iterable);
  const test = filter === undefined ? undefined : expression(filter.test);
  const assign = target(node.loopvar);
  const body = block(node.body);
  const otherwise = block(node.defaultBlock);

  const rounds = (frame: Frame, value: Value, depth: number, out: Out): Ending => {
    const all = iterate(value);
    const items =
      test === undefined ? all.slice() : all.filter((item) => truth(test(roundFrame(frame, item))));
    const recurse = (inner: Value): string =>
      frame.budget.deeper(() => {
        const nested: Out = { text: "" };
        rounds(frame, inner, depth + 1, nested);
        return nested.text;
      });
    const state = new Loop(items, depth, node.recursive ? recurse : undefined);
    // As Jinja counts it: a round that ends in `continue` was none.
    let wasEmpty = true;
    for (const [index, item] of items.entries()) {
      frame.budget.spend(1);
      state.index0 = index;
      const inner = roundFrame(frame, item);
      inner.set("loop", state);
      const ending = body(inner, out);
      checkedLength(out.text.length);
      if (ending === "break") break;
      if (ending === "") wasEmpty = false;
    }
    return wasEmpty ? otherwise(frame.inner(), out) : "";
  };
  const roundFrame = (frame: Frame, item: Value): Frame => {
    const inner = frame.inner();
    assign(inner, item);
    return inner;
  };
  return (frame, out) => rounds(frame, iterable(frame), 1, out);
}

function assignment(node: SetNode): Run {
  const assign = target(node.assignee);
  const value = node.value === null ? captured(block(node.body)) : expression(node.value);
  return (frame) => {
    assign(frame, value(frame));
    return "";
  };
}

function withBlock(node: With): Run {
  const targets = node.targets.map(target);
  const values = node.values.map(expression);
  const body = block(node.body);
  return (frame, out) => {
    const inner = frame.inner();
    const set = values.map((value) => value(frame));
    for (const [i, assign] of targets.entries()) assign(inner, set[i] ?? null);
    return body(inner, out);
  };
}

function macroDefinition(node: Macro): Run {
  const make = macro(node.name.value, node.args, node.body);
  return (frame) => {
    frame.set(node.name.value, make(frame));
    return "";
  };
}

function callBlock(node: CallBlock): Run {
  const caller = macro("caller", node.callerArgs ?? [], node.body);
  const callee = expression(node.call.callee);
  const given = argumentsOf(node.call.args);
  return (frame, out) => {
    const { positional, named } = given(frame);
    const args: Args = { positional, named: new Map([...named, ["caller", caller(frame)]]) };
    out.text += str(callValue(callee(frame), args));
    return "";
  };
}

/** A macro sees the names of the place where it is defined, not of the place that calls it. */
function macro(
  name: string,
  parameters: readonly Parameter[],
  nodes: readonly Statement[],
): (frame: Frame) => Callable {
  const body = block(nodes);
  const catches = new Set(["varargs", "kwargs"].filter((word) => mentions(nodes, word)));
  const bind = binder(name, parameters, catches);
  return (defined) =>
    new Callable(name, (given) =>
      defined.budget.deeper(() => {
        const frame = defined.inner();
        bind(frame, given);
        const out: Out = { text: "" };
        body(frame, out);
        checkedLength(out.text.length);
        return out.text;
      }),
    );
}

function binder(
  name: string,
  parameters: readonly Parameter[],
  catches: ReadonlySet<string>,
): (frame: Frame, given: Args) => void {
  const slots = parameters.map((parameter) =>
    parameter.type === "Identifier"
      ? { name: parameter.value, otherwise: undefined }
      : { name: parameter.key.value, otherwise: expression(parameter.value) },
  );
  return (frame, { positional, named }) => {
    const rest = new Map<Value, Value>(named);
    frame.set("caller", rest.get("caller") ?? new Undefined("No caller defined"));
    if (!slots.some((slot) => slot.name === "caller")) rest.delete("caller");
    const defaults: (() => void)[] = [];
    for (const [i, slot] of slots.entries()) {
      const value = i < positional.length ? positional[i] : rest.get(slot.name);
      rest.delete(slot.name);
      if (value === undefined && slot.otherwise !== undefined) {
        const { otherwise } = slot;
        defaults.push(() => frame.set(slot.name, otherwise(frame)));
      }
      frame.set(
        slot.name,
        value === undefined ? new Undefined(`parameter '${slot.name}' was not provided`) : value,
      );
    }
    if (catches.has("kwargs")) frame.set("kwargs", rest);
    else if (rest.size > 0)
      throw wrong(`macro '${name}' takes no keyword argument '${str([...rest.keys()][0] ?? "")}'`);
    if (catches.has("varargs")) frame.set("varargs", tupleOf(positional.slice(slots.length)));
    else if (positional.length > slots.length) {
      throw wrong(`macro '${name}' takes not more than ${slots.length} argument(s)`);
    }
    for (const set of defaults) set();
  };
}

/** Whether a name is read anywhere inside. */
function mentions(node: unknown, name: string): boolean {
  if (Array.isArray(node)) return node.some((item) => mentions(item, name));
  if (node instanceof Map) return [...node].some((pair) => mentions(pair, name));
  if (typeof node !== "object" || node === null) return false;
  const { type, value } = node as { type?: unknown; value?: unknown };
  if (type === "Identifier") return value === name;
  return Object.values(node).some((child) => mentions(child, name));
}
