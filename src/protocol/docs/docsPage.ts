/** `/docs`: the endpoints of `/openapi.json` as one page of HTML, without scripts and without anybody's CDN. */
import type { Content, OpenApiDocument, Operation, Schema } from "./openApiDocument.ts";

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
code { font-family: ui-monospace, monospace }
details { margin: .3rem 0; padding: .3rem .6rem; border: 1px solid color-mix(in srgb, currentColor 20%, transparent) }
summary { cursor: pointer }
summary span, li i { opacity: .7 }
ul { padding-left: 1.2rem; margin: .3rem 0 }
`;

export function docsPage({ info, paths, components }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags ?? []))];
  const sections = tags.map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(tag));
    const parts = own.map((one) => operationPart(one.method, one.path, one.operation));
    return `<h2>${escaped(tag)}</h2>${parts.join("")}`;
  });
  const schemas = Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${escaped(info.title)}: endpoints</title><style>${STYLE}</style>`,
    `<h1>${escaped(info.title)} ${escaped(info.version)}</h1><p>${escaped(info.description)}</p>`,
    '<p>The same for machines: <a href="openapi.json">openapi.json</a>.</p>',
    ...sections,
    "<h2>schemas</h2>",
    ...schemas.map(([name, schema]) => schemaPart(name, schema)),
    "</html>",
  ].join("\n");
}

function operationPart(method: string, path: string, operation: Operation): string {
  const { summary = "", description, requestBody, responses } = operation;
  const answers = Object.entries(responses).map(
    ([status, answer]) =>
      `<li><code>${escaped(status)}</code> ${escaped(answer.description)}${contentText(answer.content)}</li>`,
  );
  return [
    `<details><summary><code>${method.toUpperCase()} ${escaped(path)}</code> <span>${escaped(summary)}</span></summary>`,
    description === undefined ? "" : `<p>${escaped(description)}</p>`,
    requestBody === undefined ? "" : `<p>Body${contentText(requestBody.content)}</p>`,
    `<ul>${answers.join("")}</ul></details>`,
  ].join("");
}

function contentText(content: Content | undefined): string {
  const kinds = Object.entries(content ?? {});
  if (kinds.length === 0) return "";
  return `: ${kinds.map(([type, { schema }]) => `${typeText(schema)} <i>${escaped(type)}</i>`).join(", ")}`;
}

function schemaPart(name: string, schema: Schema): string {
  const description = schema.description === undefined ? "" : `<p>${escaped(schema.description)}</p>`;
  const inside = schema.properties === undefined ? `<p>${typeText(schema)}</p>` : fieldList(schema);
  return `<details id="${escaped(name)}"><summary><code>${escaped(name)}</code></summary>${description}${inside}</details>`;
}

function fieldList({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const needed = required.includes(name) ? ", required" : "";
    const more = [schema.description ?? "", rangeText(schema)].filter((text) => text !== "").join(" ");
    const nested = schema.properties ?? schema.items?.properties;
    const inner = nested === undefined ? "" : fieldList(schema.properties ? schema : (schema.items ?? {}));
    return `<li><code>${escaped(name)}</code> <i>${typeText(schema)}${needed}</i> ${escaped(more)}${inner}</li>`;
  });
  return rows.length === 0 ? "" : `<ul>${rows.join("")}</ul>`;
}

/** HTML. */
function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = escaped(schema.$ref.split("/").at(-1) ?? "");
    return `<a href="#${name}">${name}</a>`;
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(" | ");
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (values !== undefined) return values.map((value) => escaped(JSON.stringify(value))).join(" | ");
  if (schema.items !== undefined) return `list of ${typeText(schema.items)}`;
  return escaped(typeof schema.type === "string" ? schema.type : (schema.type?.join(" | ") ?? "anything"));
}

function rangeText(schema: Schema): string {
  const parts = [
    ["default", schema.default],
    ["at least", schema.minimum],
    ["at most", schema.maximum],
  ].filter(([, value]) => value !== undefined);
  return parts.length === 0 ? "" : `(${parts.map((part) => part.join(" ")).join(", ")})`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (mark) => ENTITIES[mark] ?? mark);
}
