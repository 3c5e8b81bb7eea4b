/**
 * Schemas in the style of what clients send: coding agents, MCP servers, generators from Zod, Pydantic and
 * OpenAPI, structured answers. Written for these tests.
 */
import type { PlainSchema } from "./makeInstance.ts";

type Properties = Readonly<Record<string, PlainSchema>>;

const text = (more: object = {}): PlainSchema => ({ type: "string", ...more });
const whole = (more: object = {}): PlainSchema => ({ type: "integer", ...more });
const list = (items: PlainSchema, more: object = {}): PlainSchema => ({ type: "array", items, ...more });
const closed = (
  properties: Properties,
  required: readonly string[] = Object.keys(properties),
): PlainSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const tool = (properties: Properties, required: readonly string[] = []): PlainSchema => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties,
  required,
});
const described = (schema: PlainSchema, description: string): PlainSchema =>
  typeof schema === "boolean" ? schema : { ...schema, description };

const AGENTS: Readonly<Record<string, PlainSchema>> = {
  "read a file": tool(
    {
      file_path: described(text(), "Absolute path"),
      offset: whole({ minimum: 0 }),
      limit: whole({ exclusiveMinimum: 0 }),
    },
    ["file_path"],
  ),
  "write a file": closed({ file_path: text(), content: text() }),
  "edit a file": closed(
    {
      file_path: text(),
      old_string: text(),
      new_string: text(),
      replace_all: { type: "boolean", default: false },
    },
    ["file_path", "old_string", "new_string"],
  ),
  "several edits": closed({
    file_path: text(),
    edits: list(closed({ old_string: text(), new_string: text() }), { minItems: 1 }),
  }),
  "run a command": closed(
    {
      command: text({ minLength: 1 }),
      timeout: { type: "number", maximum: 600000 },
      description: text(),
      run_in_background: { type: "boolean" },
    },
    ["command"],
  ),
  "search text": tool(
    {
      pattern: text(),
      path: text(),
      glob: text(),
      output_mode: { type: "string", enum: ["content", "files_with_matches", "count"] },
      "-A": { type: "number" },
      "-i": { type: "boolean" },
      head_limit: whole({ minimum: 1 }),
      multiline: { type: "boolean" },
    },
    ["pattern"],
  ),
  "find files": tool({ pattern: text(), path: text() }, ["pattern"]),
  "to-do list": closed({
    todos: list(
      closed({
        content: text({ minLength: 1 }),
        status: { type: "string", enum: ["pending", "in_progress", "completed"] },
        activeForm: text({ minLength: 1 }),
      }),
    ),
  }),
  "fetch a page": closed({ url: text({ format: "uri" }), prompt: text() }),
  "search the web": closed(
    { query: text({ minLength: 2 }), allowed_domains: list(text()), blocked_domains: list(text()) },
    ["query"],
  ),
  "ask the user": closed(
    {
      questions: list(
        closed({
          question: text(),
          header: text({ maxLength: 12 }),
          options: list(closed({ label: text(), description: text() }), { minItems: 2, maxItems: 4 }),
          multiSelect: { type: "boolean" },
        }),
        { minItems: 1, maxItems: 4 },
      ),
      answers: {
        type: "object",
        propertyNames: { type: "string" },
        additionalProperties: { type: "string" },
      },
    },
    ["questions"],
  ),
  "start a task": closed(
    { description: text(), prompt: text(), subagent_type: { enum: ["explore", "plan", "general"] } },
    ["description", "prompt"],
  ),
  "long text": closed({ text: text({ maxLength: 65536 }) }),
  "longer text": closed({ text: text({ minLength: 1, maxLength: 1048576 }) }),
  patch: tool({ input: described(text(), "The whole patch") }, ["input"]),
  "shell with list": tool({ command: list(text()), workdir: text(), timeout_ms: { type: "number" } }, [
    "command",
  ]),
  plan: closed(
    {
      explanation: text(),
      plan: list(
        closed({ step: text(), status: { type: "string", enum: ["pending", "in_progress", "completed"] } }),
      ),
    },
    ["plan"],
  ),
  "notebook edit": tool(
    {
      notebook_path: text(),
      cell_id: text(),
      new_source: text(),
      cell_type: { enum: ["code", "markdown"] },
      edit_mode: { enum: ["replace", "insert", "delete"] },
    },
    ["notebook_path", "new_source"],
  ),
  "no arguments": { type: "object", properties: {} },
  "no arguments, closed": { type: "object", properties: {}, additionalProperties: false },
  "no arguments, required empty": { type: "object", properties: {}, required: [] },
  "any object": { type: "object" },
  "free record": { type: "object", additionalProperties: true },
};

const MCP: Readonly<Record<string, PlainSchema>> = {
  "issue list": tool(
    {
      owner: text(),
      repo: text(),
      state: { enum: ["open", "closed", "all"] },
      labels: list(text()),
      sort: { enum: ["created", "updated", "comments"] },
      direction: { enum: ["asc", "desc"] },
      since: text({ format: "date-time" }),
      page: whole({ minimum: 1 }),
      perPage: whole({ minimum: 1, maximum: 100 }),
    },
    ["owner", "repo"],
  ),
  "issue create": tool(
    {
      owner: text(),
      repo: text(),
      title: text(),
      body: text(),
      assignees: list(text()),
      milestone: { type: "number" },
      labels: list(text()),
    },
    ["owner", "repo", "title"],
  ),
  "pull request review": tool(
    {
      owner: text(),
      repo: text(),
      pullNumber: { type: "number" },
      event: { enum: ["APPROVE", "REQUEST_CHANGES", "COMMENT"] },
      comments: list(
        tool(
          {
            path: text(),
            position: { type: ["number", "null"] },
            line: { type: ["number", "null"] },
            body: text(),
          },
          ["path", "body"],
        ),
      ),
    },
    ["owner", "repo", "pullNumber", "event"],
  ),
  "push files": tool(
    { branch: text(), files: list(closed({ path: text(), content: text() })), message: text() },
    ["branch", "files", "message"],
  ),
  "browser click": closed(
    {
      element: text(),
      ref: text({ pattern: "^[se]\\d+$" }),
      button: { enum: ["left", "right", "middle"] },
      modifiers: list({ enum: ["Alt", "Control", "Meta", "Shift"] }),
    },
    ["element", "ref"],
  ),
  "browser fill": closed({
    fields: list(
      closed({
        name: text(),
        type: { enum: ["textbox", "checkbox", "radio", "combobox", "slider"] },
        ref: text(),
        value: text(),
      }),
    ),
  }),
  "browser resize": closed({ width: { type: "number", minimum: 1 }, height: { type: "number", minimum: 1 } }),
  "sql query": closed(
    {
      sql: text({ minLength: 1 }),
      params: list({ type: ["string", "number", "boolean", "null"] }),
      readonly: { const: true },
    },
    ["sql"],
  ),
  "memory graph": closed(
    {
      entities: list(closed({ name: text(), entityType: text(), observations: list(text()) })),
      relations: list(closed({ from: text(), to: text(), relationType: text() })),
    },
    ["entities"],
  ),
  "thinking step": tool(
    {
      thought: text(),
      nextThoughtNeeded: { type: "boolean" },
      thoughtNumber: whole({ minimum: 1 }),
      totalThoughts: whole({ minimum: 1 }),
      isRevision: { type: "boolean" },
      revisesThought: whole({ minimum: 1 }),
      branchId: text(),
    },
    ["thought", "nextThoughtNeeded", "thoughtNumber", "totalThoughts"],
  ),
  "file tree": tool(
    {
      path: text({ pattern: "^\\/" }),
      depth: whole({ minimum: 0, maximum: 10 }),
      exclude: list(text({ pattern: "^[\\w\\-.*/]+$" })),
    },
    ["path"],
  ),
  "time zone": closed({
    timezone: text({ pattern: "^[A-Za-z_]+(/[A-Za-z_]+)*$" }),
    time: text({ pattern: "^([01]\\d|2[0-3]):[0-5]\\d$" }),
  }),
  "calendar event": tool(
    {
      summary: text({ minLength: 1, maxLength: 200 }),
      start: text({ format: "date-time" }),
      end: text({ format: "date-time" }),
      attendees: list(closed({ email: text({ format: "email" }), optional: { type: "boolean" } }, ["email"])),
      recurrence: { enum: [null, "daily", "weekly"] },
    },
    ["summary", "start"],
  ),
  "chat message": tool(
    {
      channel_id: text({ pattern: "^[CDG][A-Z0-9]{8,10}$" }),
      text: text({ maxLength: 4000 }),
      thread_ts: text({ pattern: "^\\d{10}\\.\\d{6}$" }),
    },
    ["channel_id", "text"],
  ),
  "map route": tool(
    {
      origin: closed({
        lat: { type: "number", minimum: -90, maximum: 90 },
        lng: { type: "number", minimum: -180, maximum: 180 },
      }),
      mode: { enum: ["driving", "walking", "bicycling", "transit"] },
      alternatives: { type: "boolean" },
    },
    ["origin"],
  ),
  "page blocks": tool(
    {
      parent: {
        oneOf: [
          closed({ type: { const: "page_id" }, page_id: text({ format: "uuid" }) }),
          closed({ type: { const: "database_id" }, database_id: text({ format: "uuid" }) }),
        ],
      },
      title: text(),
    },
    ["parent"],
  ),
  "http request": tool(
    {
      method: { enum: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] },
      url: text({ format: "uri" }),
      headers: { type: "object", additionalProperties: text() },
      body: { anyOf: [text(), { type: "object" }, { type: "null" }] },
    },
    ["method", "url"],
  ),
  "key-value": tool(
    { key: text({ pattern: "^[a-zA-Z0-9:_-]{1,128}$" }), ttl: whole({ minimum: -1 }), value: {} },
    ["key", "value"],
  ),
  "labels by pattern": {
    type: "object",
    patternProperties: { "^x-": { type: "string" } },
    additionalProperties: false,
  },
  "labels and more": {
    type: "object",
    properties: { id: whole() },
    patternProperties: { "^n_": { type: "number" }, _s$: { type: "string" } },
    additionalProperties: { type: "boolean" },
    required: ["id"],
  },
  "names of environment": tool(
    {
      env: { type: "object", propertyNames: { pattern: "^[A-Z_][A-Z0-9_]*$" }, additionalProperties: text() },
    },
    ["env"],
  ),
  "names by enum": {
    type: "object",
    propertyNames: { enum: ["red", "green", "blue"] },
    additionalProperties: whole({ minimum: 0, maximum: 255 }),
  },
};

const GENERATED: Readonly<Record<string, PlainSchema>> = {
  "optional by union": closed({ name: text(), nick: { anyOf: [text(), { type: "null" }] } }),
  "union of kinds": {
    anyOf: [
      closed({ kind: { const: "circle" }, radius: { type: "number", exclusiveMinimum: 0 } }),
      closed({ kind: { const: "square" }, side: { type: "number", exclusiveMinimum: 0 } }),
    ],
  },
  "one of kinds": {
    oneOf: [
      closed({ type: { const: "text" }, text: text() }),
      closed({ type: { const: "image" }, url: text({ format: "uri" }), detail: { enum: ["low", "high"] } }, [
        "type",
        "url",
      ]),
    ],
  },
  intersection: {
    allOf: [
      { type: "object", properties: { a: text() }, required: ["a"] },
      { type: "object", properties: { b: whole() }, required: ["b"] },
    ],
  },
  "defs and refs": {
    $defs: { Address: closed({ street: text(), zip: text({ pattern: "^\\d{5}(-\\d{4})?$" }) }) },
    ...(closed(
      { home: { $ref: "#/$defs/Address" }, work: { anyOf: [{ $ref: "#/$defs/Address" }, { type: "null" }] } },
      ["home"],
    ) as object),
  },
  definitions: {
    definitions: { Color: { enum: ["RED", "GREEN"] } },
    type: "object",
    properties: {
      color: { allOf: [{ $ref: "#/definitions/Color" }], default: "RED", description: "a colour" },
    },
    required: ["color"],
  },
  tree: {
    $defs: { Node: closed({ value: text(), children: list({ $ref: "#/$defs/Node" }) }, ["value"]) },
    $ref: "#/$defs/Node",
  },
  "linked list": {
    type: "object",
    properties: { value: whole(), next: { anyOf: [{ $ref: "#" }, { type: "null" }] } },
    required: ["value", "next"],
    additionalProperties: false,
  },
  expression: {
    $defs: {
      e: {
        oneOf: [
          { type: "number" },
          closed({
            op: { enum: ["+", "-", "*"] },
            args: list({ $ref: "#/$defs/e" }, { minItems: 2, maxItems: 2 }),
          }),
        ],
      },
    },
    $ref: "#/$defs/e",
  },
  "two that refer to each other": {
    $defs: { A: closed({ b: { $ref: "#/$defs/B" } }, []), B: closed({ a: { $ref: "#/$defs/A" } }, []) },
    $ref: "#/$defs/A",
  },
  tuple: {
    type: "array",
    prefixItems: [text(), { type: "number" }, { type: "boolean" }],
    items: false,
    minItems: 3,
    maxItems: 3,
  },
  "tuple of before": { type: "array", items: [text(), whole()], additionalItems: false },
  "tuple with rest": { type: "array", prefixItems: [text()], items: whole(), minItems: 1 },
  "tuple of some": {
    type: "array",
    prefixItems: [text(), whole(), { type: "null" }],
    items: { type: "boolean" },
    minItems: 2,
    maxItems: 5,
  },
  "draft 4 bounds": {
    type: "object",
    properties: { n: { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1 } },
    required: ["n"],
  },
  "record of records": {
    type: "object",
    additionalProperties: { type: "object", additionalProperties: { type: "number" } },
  },
  dates: closed({
    day: text({ format: "date" }),
    at: text({ format: "time" }),
    stamp: text({ format: "date-time" }),
    lasts: text({ format: "duration" }),
  }),
  "addresses of machines": closed({
    v4: text({ format: "ipv4" }),
    v6: text({ format: "ipv6" }),
    host: text({ format: "hostname" }),
  }),
  ids: closed({ id: text({ format: "uuid" }), mail: text({ format: "email" }) }),
  "unknown format": closed({ a: text({ format: "binary" }), b: whole({ format: "int64" }) }),
  "whole numbers": closed({
    a: whole({ minimum: -2147483648, maximum: 2147483647 }),
    b: whole({ minimum: 0 }),
    c: whole({ maximum: -1 }),
    d: whole({ exclusiveMinimum: 5, exclusiveMaximum: 9 }),
  }),
  "safe integers": closed({
    a: whole({ minimum: -9007199254740991, maximum: 9007199254740991 }),
    b: whole({ exclusiveMinimum: 0, maximum: 9007199254740991 }),
  }),
  fractions: closed({
    p: { type: "number", minimum: 0, maximum: 1 },
    t: { type: "number", minimum: -1.5, exclusiveMaximum: 2.25 },
    u: { type: "number", exclusiveMinimum: 0.001 },
  }),
  steps: closed({
    even: whole({ multipleOf: 2 }),
    five: { type: "number", multipleOf: 5 },
    cents: { type: "number", multipleOf: 0.01, minimum: 0, maximum: 1000 },
    half: { type: "number", multipleOf: 0.5 },
  }),
  percent: closed({ rate: whole({ minimum: 0, maximum: 100, multipleOf: 5 }) }),
  "counted properties": {
    type: "object",
    properties: { a: whole(), b: whole(), c: whole(), d: whole() },
    minProperties: 1,
    maxProperties: 2,
    additionalProperties: false,
  },
  "counted record": { type: "object", additionalProperties: whole(), minProperties: 2, maxProperties: 4 },
  "any of required": {
    type: "object",
    properties: { id: whole(), name: text() },
    anyOf: [{ required: ["id"] }, { required: ["name"] }],
    additionalProperties: false,
  },
  "type list": { type: ["object", "array", "string", "number", "boolean", "null"] },
  "type list of lists": list({ type: ["string", "integer"] }, { minItems: 1, maxItems: 3 }),
  "values of all kinds": { enum: ["a", 1, null, true, 2.5, ["x", 1], { k: "v", l: [] }] },
  "constant object": { const: { version: 1, tags: ["a", "b"] } },
  "true and false": {
    type: "object",
    properties: { any: true, none: false },
    required: ["any"],
    additionalProperties: false,
  },
  "a never": closed({ x: text(), y: { not: {} } }, ["x"]),
  "escaped reference": {
    $defs: { "a/b": text(), "c~d": whole() },
    ...(closed({ x: { $ref: "#/$defs/a~1b" }, y: { $ref: "#/$defs/c~0d" } }) as object),
  },
  "keys that need quotes": closed({
    'with "quotes"': text(),
    "back\\slash": whole(),
    "new\nline": { type: "null" },
    é漢: { type: "boolean" },
    "": text(),
  }),
  "many values": { enum: Array.from({ length: 120 }, (_, index) => `value-${index}`) },
  "many keys": closed(
    Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`field_${index}`, index % 3 === 0 ? whole() : text()]),
    ),
    ["field_3", "field_30"],
  ),
  deep: Array.from({ length: 12 }).reduce<PlainSchema>((inner) => closed({ in: inner }), text()),
  "deep lists": Array.from({ length: 8 }).reduce<PlainSchema>(
    (inner) => list(inner, { minItems: 1, maxItems: 2 }),
    whole(),
  ),
  "empty tuple items": { type: "array", items: {}, maxItems: 3 },
  "list of anything": { type: "array" },
  "list bounded above": list(text(), { maxItems: 1000 }),
  "no type but properties": { properties: { a: text() }, required: ["a"] },
  "no type but items": { items: whole() },
  "base and details": {
    allOf: [{ $ref: "#/$defs/base" }, { properties: { extra: text() }, required: ["extra"] }],
    $defs: { base: { type: "object", properties: { id: whole() }, required: ["id"] } },
  },
  "narrowed number": { allOf: [{ type: "number" }, { type: "integer", minimum: 3 }, { maximum: 7 }] },
  "narrowed text": { allOf: [{ type: "string", minLength: 2 }, { maxLength: 4 }, { pattern: "^[a-c]+$" }] },
  "pattern and length": text({ pattern: "^[a-z]+(-[a-z]+)*$", minLength: 3, maxLength: 20 }),
  "date or empty": { anyOf: [text({ format: "date" }), { const: "" }] },
  "closed all through": {
    type: "object",
    properties: {
      a: {
        type: "object",
        properties: { b: { type: "object", properties: { c: whole() }, unevaluatedProperties: false } },
      },
    },
    required: ["a"],
  },
};

const PATTERNS = [
  "^[a-z0-9]+(?:-[a-z0-9]+)*$",
  "^https?://",
  "\\.(ts|js|tsx|jsx)$",
  "^v?\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$",
  "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$",
  "^[A-Z]{2,5}-\\d{1,6}$",
  "^\\+?[1-9]\\d{1,14}$",
  "^[^@\\s]+@[^@\\s]+$",
  "^(yes|no|maybe)$",
  "^[\\s\\S]{1,300}$",
  "^.{3,5}$",
  "^\\S+$",
  "^(?!-)[a-z-]{1,20}$",
  "^\\p{Lu}\\p{Ll}+$",
  "[0-9]",
  "^$|^[a-z]+$",
  "^\\/[\\w\\/.-]*$",
  "^\\d{4}-\\d{2}(-\\d{2})?$",
  "^(\\d{1,3}\\.){3}\\d{1,3}$",
  '^"[^"]*"$',
  "^[\\w.]+\\\\[\\w.]+$",
  "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
  "^[a-f0-9]{40}$",
  "a|b$|^c",
  "^\\u0041[\\x42-\\x44]\\t?$",
];

export const CLIENT_SCHEMAS: ReadonlyMap<string, PlainSchema> = new Map([
  ...Object.entries(AGENTS),
  ...Object.entries(MCP),
  ...Object.entries(GENERATED),
  ...PATTERNS.map((pattern): [string, PlainSchema] => [`pattern ${pattern}`, text({ pattern })]),
]);
