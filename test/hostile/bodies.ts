/** Bodies from the schemas of `/openapi.json`: what they say, roughly, and then changed where nobody would. */
import type { Loose } from "../support/httpClient.ts";
import { nastyJson } from "./nastyValues.ts";
import type { Random } from "./Random.ts";

/** Below the first, optional fields and second items are left out: a body is a few hundred values. */
const WIDE_DEPTH_MAX = 2;
const DEPTH_MAX = 12;

/** A value that the schema may or may not take; references are found in `schemas`. */
export function bodyLike(
  random: Random,
  schemas: Readonly<Record<string, Loose>>,
  schema: Loose,
  depth = 0,
): Loose {
  const own =
    schema.$ref === undefined ? schema : (schemas[String(schema.$ref).split("/").at(-1) ?? ""] ?? {});
  if (own.examples?.length > 0 && !random.once(4)) return structuredClone(random.pick<Loose>(own.examples));
  if (own.const !== undefined) return own.const;
  if (own.enum?.length > 0) return random.pick(own.enum);
  const several: Loose[] = own.anyOf ?? own.oneOf ?? [];
  if (several.length > 0) return bodyLike(random, schemas, random.pick(several), depth + 1);
  const inner = (one: Loose): Loose => bodyLike(random, schemas, one ?? {}, depth + 1);
  switch (own.type) {
    case "object": {
      const names = Object.keys(own.properties ?? {});
      const kept = names.filter(
        (name) => (own.required ?? []).includes(name) || (depth < WIDE_DEPTH_MAX && random.once(5)),
      );
      return Object.fromEntries(kept.map((name) => [name, inner(own.properties[name])]));
    }
    case "array":
      return depth > DEPTH_MAX
        ? []
        : Array.from({ length: random.below(depth < WIDE_DEPTH_MAX ? 4 : 2) }, () => inner(own.items));
    case "string":
      return random.pick(["user", "hello", "auto", "add", "x"]);
    case "integer":
    case "number":
      return random.pick([own.minimum ?? 0, own.maximum ?? 2, 1]);
    case "boolean":
      return random.once(2);
    default:
      return random.pick([null, "hello", 1, {}]);
  }
}

/** The document with one node of it replaced, taken out, doubled or named otherwise, as text. */
export function mutatedJson(random: Random, value: Loose): string {
  const nodes = placesIn(value);
  const { holder, key } = random.pick(nodes);
  const marker = `@${random.below(1e9)}@`;
  const nasty = nastyJson(random);
  if (holder === null) return nasty;
  const before = holder[key];
  switch (random.below(5)) {
    case 0:
      delete holder[key];
      break;
    case 1:
      if (Array.isArray(holder)) holder.push(...Array.from({ length: 1 + random.below(30) }, () => before));
      else holder[`${key} `] = before;
      break;
    case 2:
      if (typeof before === "object" && before !== null && !Array.isArray(before)) before[marker] = marker;
      else holder[key] = [before];
      break;
    default:
      holder[key] = marker;
  }
  return JSON.stringify(value).replaceAll(JSON.stringify(marker), () => nasty);
}

interface Place {
  readonly holder: Loose;
  readonly key: string;
}

function placesIn(value: Loose): readonly Place[] {
  const places: Place[] = [{ holder: null, key: "" }];
  const walk = (holder: Loose): void => {
    if (typeof holder !== "object" || holder === null) return;
    for (const key of Object.keys(holder)) {
      places.push({ holder, key });
      walk(holder[key]);
    }
  };
  walk(value);
  return places;
}
