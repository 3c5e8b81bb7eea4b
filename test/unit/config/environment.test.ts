/** A variable that nothing reads is told, and ends the start where it may have been meant to shut the server. */
import { expect, test } from "bun:test";
import { readConfig } from "../../../src/config/Config.ts";
import { ConfigError } from "../../../src/config/ConfigError.ts";
import type { Env } from "../../../src/config/parseFlags.ts";

const told = (env: Env): readonly string[] => readConfig(["-m", "x.gguf"], env).notes;

const refused = (env: Env): string => {
  try {
    return `started: ${told(env).join(" ")}`;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
};

test.each([
  ["WARMTURN_API_KEYS", "WARMTURN_API_KEY"],
  ["WARMTURN_APIKEY", "WARMTURN_API_KEY"],
  ["WARMTURN_API_KEYFILE", "WARMTURN_API_KEY_FILE"],
  ["WARMTURN_ALLOWED_HOST", "WARMTURN_ALLOWED_HOSTS"],
  ["WARMTURN_CORS_ORIGIN", "WARMTURN_CORS_ORIGINS"],
  ["LLAMA_API_KEYS", "LLAMA_API_KEY"],
])("%s would leave the server open: nothing is started", (name, near) => {
  const said = refused({ [name]: "secret" });
  expect(said).toContain(`${name} is not read here. Did you mean ${near}? Nothing is started`);
  expect(said).not.toContain("secret");
});

test.each(["WARMTURN_AUTH", "WARMTURN_TOKEN", "WARMTURN_PASSWORD", "WARMTURN_SECRET"])(
  "%s, which is near nothing, too",
  (name) => {
    expect(refused({ [name]: "x" })).toContain("Nothing is started");
  },
);

test.each([
  ["WARMTURN_PROT", "WARMTURN_PORT"],
  ["WARMTURN_CTXSIZE", "WARMTURN_CTX_SIZE"],
  ["WARMTURN_TREADS", "WARMTURN_THREADS"],
  ["LLAMA_ARG_N_PARALEL", "LLAMA_ARG_N_PARALLEL"],
])("%s is told, with %s", (name, near) => {
  expect(told({ [name]: "1" })).toEqual([
    `The environment variable ${name} is not read here. Did you mean ${near}?`,
  ]);
});

test("what another server reads, and is near nothing, is told as well", () => {
  expect(told({ LLAMA_ARG_SSL_KEY_FILE: "x", WARMTURN_ZZZZ: "x" })).toEqual([
    "The environment variable LLAMA_ARG_SSL_KEY_FILE is not read here.",
    "The environment variable WARMTURN_ZZZZ is not read here.",
  ]);
});

test("what is read, by whichever command, is not; nor what is blank or another program's", () => {
  const read = ["HOME", "SHIM", "PORT", "API_KEY", "URL", "SYSTEM", "TEST_BINARY"].map(
    (name) => `WARMTURN_${name}`,
  );
  const env = Object.fromEntries(read.map((name) => [name, "1"]));
  expect(
    told({ ...env, WARMTURN_API_KEYS: "", LLAMA_ARG_MLOCK: "on", LLAMA_CACHE: "x", API_KEYS: "x" }),
  ).toEqual([]);
});

test("what Kubernetes sets beside a service of this name is none of ours", () => {
  const names = [
    "SERVICE_HOST",
    "SERVICE_PORT",
    "SERVICE_PORT_HTTP",
    "PORT_8080_TCP",
    "PORT_8080_TCP_ADDR",
    "LLM_SERVICE_HOST",
  ];
  expect(told(Object.fromEntries(names.map((name) => [`WARMTURN_${name}`, "10.0.0.7"])))).toEqual([]);
});
