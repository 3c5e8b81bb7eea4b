/**
 * The syntax tree of a template, as the library's parser gives it (with the additions of `patches/`) for the tokens of
 * our own lexer; the library exports no types of its nodes.
 */
import { parse } from "@huggingface/jinja";
import { readTokens } from "./readTokens.ts";

export interface Identifier {
  readonly type: "Identifier";
  readonly value: string;
}

export interface KeywordArgument {
  readonly type: "KeywordArgumentExpression";
  readonly key: Identifier;
  readonly value: Expression;
}

export interface Call {
  readonly type: "CallExpression";
  readonly callee: Expression;
  readonly args: readonly Argument[];
}

export interface Slice {
  readonly type: "SliceExpression";
  readonly start?: Expression;
  readonly stop?: Expression;
  readonly step?: Expression;
}

export interface Member {
  readonly type: "MemberExpression";
  readonly object: Expression;
  readonly property: Expression | Slice;
  readonly computed: boolean;
}

export interface Select {
  readonly type: "SelectExpression";
  readonly lhs: Expression;
  readonly test: Expression;
}

export type Argument =
  | Expression
  | KeywordArgument
  | { readonly type: "SpreadExpression" | "KeywordSpreadExpression"; readonly argument: Expression };

export type Parameter = Identifier | KeywordArgument;

export type FilterNode = Identifier | Call;

interface Operator {
  readonly value: string;
}

export type Expression =
  | Identifier
  | Call
  | Member
  | Select
  | { readonly type: "StringLiteral"; readonly value: string }
  | { readonly type: "IntegerLiteral"; readonly value: number | bigint }
  | { readonly type: "FloatLiteral"; readonly value: number }
  | { readonly type: "ArrayLiteral" | "TupleLiteral"; readonly value: readonly Expression[] }
  | { readonly type: "ObjectLiteral"; readonly value: ReadonlyMap<Expression, Expression> }
  | {
      readonly type: "BinaryExpression";
      readonly operator: Operator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly type: "UnaryExpression"; readonly operator: Operator; readonly argument: Expression }
  | { readonly type: "FilterExpression"; readonly operand: Expression; readonly filter: FilterNode }
  | {
      readonly type: "TestExpression";
      readonly operand: Expression;
      readonly negate: boolean;
      readonly test: Identifier;
      readonly args: readonly Argument[];
    }
  | {
      readonly type: "Ternary";
      readonly condition: Expression;
      readonly trueExpr: Expression;
      readonly falseExpr: Expression;
    };

export interface For {
  readonly type: "For";
  readonly loopvar: Expression;
  readonly iterable: Expression;
  readonly body: readonly Statement[];
  readonly defaultBlock: readonly Statement[];
  readonly recursive: boolean;
}

export interface Macro {
  readonly type: "Macro";
  readonly name: Identifier;
  readonly args: readonly Parameter[];
  readonly body: readonly Statement[];
}

export interface SetNode {
  readonly type: "Set";
  readonly assignee: Expression;
  readonly value: Expression | null;
  readonly body: readonly Statement[];
}

export interface CallBlock {
  readonly type: "CallStatement";
  readonly call: Call;
  readonly callerArgs: readonly Parameter[] | null;
  readonly body: readonly Statement[];
}

export interface With {
  readonly type: "With";
  readonly targets: readonly Expression[];
  readonly values: readonly Expression[];
  readonly body: readonly Statement[];
}

export type Statement =
  | Expression
  | For
  | Macro
  | SetNode
  | CallBlock
  | With
  | { readonly type: "Comment" | "Break" | "Continue" }
  | {
      readonly type: "If";
      readonly test: Expression;
      readonly body: readonly Statement[];
      readonly alternate: readonly Statement[];
    }
  | { readonly type: "FilterStatement"; readonly filter: FilterNode; readonly body: readonly Statement[] };

/** Throws SyntaxError or Error where the source is no template. */
export function parseSource(source: string): readonly Statement[] {
  const tokens = readTokens(source) as Parameters<typeof parse>[0];
  const program: unknown = parse(tokens);
  return (program as { readonly body: readonly Statement[] }).body;
}
