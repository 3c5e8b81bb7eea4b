/** Runs a suite against the application in process and against a listening server. */
import { describe } from "bun:test";
import { type FakeServer, type FakeServerOptions, fakeServer } from "../support/FakeServer.ts";
import { type HttpTarget, inProcess, listening } from "../support/httpClient.ts";

export interface Opened extends AsyncDisposable {
  readonly server: FakeServer;
  readonly target: HttpTarget;
}

export type Open = (options?: FakeServerOptions) => Opened;

const TARGETS = [
  ["app.handle", inProcess],
  ["listening server", listening],
] as const;

export function onEachTarget(name: string, suite: (open: Open) => void): void {
  for (const [targetName, make] of TARGETS) {
    describe(`${name} (${targetName})`, () => {
      suite((options) => {
        const server = fakeServer(options);
        const target = make(server.app);
        return { server, target, [Symbol.asyncDispose]: () => target[Symbol.asyncDispose]() };
      });
    });
  }
}

export const USER = [{ role: "user", content: "hi" }];

export const ADD_TOOL = {
  type: "function",
  function: {
    name: "add",
    description: "adds",
    parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  },
};
