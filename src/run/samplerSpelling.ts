/** The ways to write a sampler's name that llama-server knows, and its letters for them. */
import { SAMPLER_NAMES, type SamplerName } from "./samplerSettings.ts";

const LETTERS: Readonly<Record<string, SamplerName>> = {
  e: "penalties",
  d: "dry",
  s: "top_n_sigma",
  k: "top_k",
  y: "typ_p",
  p: "top_p",
  m: "min_p",
  x: "xtc",
  t: "temperature",
  a: "adaptive_p",
  i: "infill",
};

const OTHER_NAMES: Readonly<Record<string, SamplerName>> = {
  nucleus: "top_p",
  temp: "temperature",
  typ: "typ_p",
  typical_p: "typ_p",
};

/** `top_k`, `top-k`, `topk`, `Top_K`; undefined for no name. */
export function samplerByName(text: string): SamplerName | undefined {
  const name = text.toLowerCase();
  const known = SAMPLER_NAMES.find((one) =>
    [one, one.replaceAll("_", "-"), one.replaceAll("_", "")].includes(name),
  );
  return known ?? (Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined);
}

export function samplerByLetter(letter: string): SamplerName | undefined {
  return Object.hasOwn(LETTERS, letter) ? LETTERS[letter] : undefined;
}
