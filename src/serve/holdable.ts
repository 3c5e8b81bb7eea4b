/** Samplers that a grammar, the client's or one that tools or a schema made, can be held beside. */
import { invalid } from "../chat/fields.ts";
import type { Sampling } from "../run/RunSpec.ts";

/** The same sampling. Throws AppError where it cannot be held to its grammar; the engine would refuse it, too. */
export function holdable<S extends Pick<Sampling, "grammar" | "samplers">>(sampling: S): S {
  if ((sampling.grammar ?? "") === "" || !sampling.samplers.includes("infill")) return sampling;
  throw invalid(
    "samplers",
    "infill ends a reply by itself, and cannot be held to a grammar, a schema or the schemas of tools.",
  );
}
