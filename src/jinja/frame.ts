/** Where names live while a template runs. Each loop round, macro call and block has a frame of its own. */
import type { Budget } from "./budget.ts";
import { Undefined, type Value } from "./values.ts";

export class Frame {
  readonly budget: Budget;
  readonly #parent: Frame | undefined;
  readonly #names = new Map<string, Value>();

  constructor(budget: Budget, parent?: Frame) {
    this.budget = budget;
    this.#parent = parent;
  }

  inner(): Frame {
    return new Frame(this.budget, this);
  }

  set(name: string, value: Value): void {
    this.#names.set(name, value);
  }

  get(name: string): Value {
    let frame: Frame | undefined = this;
    while (frame !== undefined) {
      const value = frame.#names.get(name);
      if (value !== undefined) return value;
      frame = frame.#parent;
    }
    return new Undefined(`'${name}' is undefined`);
  }
}

/** What a stretch of the template has written so far. */
export interface Out {
  text: string;
}

export type Evaluate = (frame: Frame) => Value;
