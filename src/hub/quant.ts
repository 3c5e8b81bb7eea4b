/** Quantisations as file names spell them, and which one is taken when none is named. */

/** One spelling a file name; upper or lower case, set off by anything but letters and digits. */
const QUANT =
  /(?<![A-Za-z0-9])((?:UD-)?(?:I?Q[1-8]_(?:K(?:_(?:XXL|XL|XS|S|M|L))?|[01](?:_[48]_[48])?|XXS|XS|S|M|NL)|TQ[12]_0|MXFP4(?:_MOE)?|NVFP4|BF16|FP?16|FP?32))(?![A-Za-z0-9])/gi;

/**
 * In this order where none is named: Q4_K_M, which most repositories have and most people take; then its
 * neighbours at four bits, then more bits, which only cost memory; then fewer, which cost quality; last the
 * files that nobody quantised.
 */
const PREFERRED = [
  ...["Q4_K_M", "UD-Q4_K_XL", "Q4_K_XL", "Q4_K_L", "Q4_K_S", "Q4_K", "IQ4_NL", "IQ4_XS", "Q4_0", "Q4_1"],
  ...["MXFP4", "MXFP4_MOE", "NVFP4", "Q5_K_M", "Q5_K_S", "Q5_K", "Q5_0", "Q5_1", "Q6_K", "Q8_0"],
  ...["Q3_K_L", "Q3_K_M", "IQ3_M", "Q3_K_S", "IQ3_XS", "IQ3_XXS", "Q2_K", "IQ2_M"],
  ...["BF16", "F16", "F32"],
];

/** In upper case, of the file's own name or else its folders; null where none is spelt. */
export function quantOf(path: string): string | null {
  const parts = path.replace(/\.gguf$/i, "").split("/");
  for (const part of parts.reverse()) {
    const last = [...part.matchAll(QUANT)].at(-1)?.[1];
    if (last !== undefined) return last.toUpperCase().replace(/^FP/, "F");
  }
  return null;
}

/** Lower is taken first. What is not in the list comes behind it, a file without any spelling last. */
export function rankOf(quant: string | null): number {
  if (quant === null) return PREFERRED.length + 1;
  const at = PREFERRED.indexOf(quant);
  return at < 0 ? PREFERRED.length : at;
}
