/**
 * Preloaded by bunfig.toml. Property tests draw from one seed, so that a run says the same of the same code
 * anywhere; `WARMTURN_TEST_SEED=random` draws from the clock instead, and a number from that number.
 */
import fc from "fast-check";

const wanted = process.env["WARMTURN_TEST_SEED"] ?? "20261130";
fc.configureGlobal(wanted === "random" ? {} : { seed: Number(wanted) });
