/**
 * The call formats of model families, and what their models write: one call of `edit` with a path, a number and
 * text of two lines, and the same followed by one of `run`.
 */
import type { Family } from "./familyForms.ts";
import { NAMED_FAMILIES } from "./namedFamilies.ts";
import { OBJECT_FAMILIES } from "./objectFamilies.ts";

export const FAMILIES: Readonly<Record<string, Family>> = { ...OBJECT_FAMILIES, ...NAMED_FAMILIES };
