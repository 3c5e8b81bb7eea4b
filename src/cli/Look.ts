/** What a terminal can show, and text for it: without colour where there is none or NO_COLOR asks for none. */
import { styleText } from "node:util";
import type { Env } from "../config/parseFlags.ts";

export interface Look {
  /** Characters of a line. */
  readonly columns: number;
  readonly colour: boolean;
  readonly isTerminal: boolean;
  /** Lines can be written over. */
  readonly moves: boolean;
}

/** What is asked of `process.stdout`. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

type Style = Parameters<typeof styleText>[0];

/** Where a terminal does not say how wide it is. */
const COLUMNS = 80;

export function lookOf(stream: OutputStream, env: Env): Look {
  const isTerminal = stream.isTTY === true;
  const isDumb = env["TERM"] === "dumb";
  return {
    columns: stream.columns || COLUMNS,
    colour: isTerminal && !isDumb && !env["NO_COLOR"],
    isTerminal,
    moves: isTerminal && !isDumb,
  };
}

export function paint(look: Look, style: Style, text: string): string {
  return look.colour ? styleText(style, text, { validateStream: false }) : text;
}
