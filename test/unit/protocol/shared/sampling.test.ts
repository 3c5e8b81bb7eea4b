/** Sampling fields: llama-server's names and spellings, the server's defaults, and errors that name the field. */
import { describe, expect, test } from "bun:test";
import { AppError } from "../../../../src/base/AppError.ts";
import { LIMITS } from "../../../../src/base/limits.ts";
import type { JsonObject } from "../../../../src/json/json.ts";
import { parseJson } from "../../../../src/json/parseJson.ts";
import { RequestFields } from "../../../../src/protocol/shared/RequestFields.ts";
import { readSampling } from "../../../../src/protocol/shared/sampling.ts";
import type { Sampling } from "../../../../src/run/RunSpec.ts";
import {
  NUMBER_KEYS,
  NUMBER_RULES,
  SAMPLING_DEFAULTS,
  type SamplingDefaults,
} from "../../../../src/run/samplerSettings.ts";
import { BYTE_SAMPLING } from "../../../support/sampling.ts";

function read(body: object, defaults: Partial<SamplingDefaults> = {}): Sampling {
  const fields = new RequestFields(parseJson(JSON.stringify(body)) as JsonObject);
  return readSampling(fields, { ...BYTE_SAMPLING, defaults: { ...SAMPLING_DEFAULTS, ...defaults } });
}

function refused(body: object): { field: string | null; message: string } {
  try {
    read(body);
  } catch (error) {
    if (error instanceof AppError) return { field: error.field, message: error.message };
    throw error;
  }
  throw new Error(`not refused: ${JSON.stringify(body)}`);
}

describe("numbers", () => {
  test("each has its field, its default and its range", () => {
    for (const key of NUMBER_KEYS) {
      const { field, fallback, min, max } = NUMBER_RULES[key];
      expect([field, read({})[key]]).toEqual([field, fallback]);
      expect([field, read({ [field]: null })[key]]).toEqual([field, fallback]);
      const some = key === "dryBase" ? 3 : max;
      expect([field, read({ [field]: some })[key]]).toEqual([field, some]);
      for (const bad of [max + 1e300, min - 1e300, "1", true, []]) {
        expect([field, refused({ [field]: bad }).field]).toEqual([field, field]);
      }
      if (NUMBER_RULES[key].whole === true) expect(refused({ [field]: 1.5 }).field).toBe(field);
    }
  });

  test("the server's defaults stand where the request says nothing, the request wins", () => {
    const defaults = { temperature: 0.3, xtcProbability: 0.5, seed: 9, ignoreEos: true };
    expect(read({}, defaults)).toMatchObject(defaults);
    expect(read({ temperature: 1, seed: 4, ignore_eos: false }, defaults)).toMatchObject({
      temperature: 1,
      xtcProbability: 0.5,
      seed: 4,
      ignoreEos: false,
    });
  });

  test("a DRY base below 1 is the server's", () => {
    expect(read({ dry_base: 0.5 }).dryBase).toBe(1.75);
    expect(read({ dry_base: 0.5 }, { dryBase: 2 }).dryBase).toBe(2);
  });

  test("a seed is 32 bits, and one is drawn where none is named", () => {
    expect(read({ seed: -2 }).seed).toBe(2 ** 32 - 2);
    expect(read({ seed: 2 ** 32 + 5 }).seed).toBe(5);
    const drawn = new Set([{}, {}, { seed: -1 }, { seed: 2 ** 32 - 1 }].map((body) => read(body).seed));
    expect(drawn.size).toBe(4);
    expect(drawn.has(2 ** 32 - 1)).toBe(false);
  });
});

describe("samplers", () => {
  test("names in every spelling of llama-server, and its letters", () => {
    expect(read({ samplers: ["top_k", "top-p", "minp", "TEMP", "typical_p", "nucleus"] }).samplers).toEqual([
      "top_k",
      "top_p",
      "min_p",
      "temperature",
      "typ_p",
      "top_p",
    ]);
    expect(read({ samplers: "edskypmxt" }).samplers).toEqual(SAMPLING_DEFAULTS.samplers);
    expect(read({ samplers: [] }).samplers).toEqual([]);
    expect(read({ samplers: "ki" }).samplers).toEqual(["top_k", "infill"]);
    expect(read({ samplers: ["top_k", "infill"], top_k: 256 }).topK).toBe(256);
    for (const wrong of [
      { samplers: "i" },
      { samplers: "ik" },
      { samplers: "ki", top_k: 0 },
      { samplers: "ki", top_k: 257 },
    ]) {
      expect(refused(wrong)).toMatchObject({ field: "samplers" });
      expect(refused(wrong).message).toContain("top_k must stand in front of it, and be from 1 to 256");
    }
    expect(read({ samplers: "ta" }).samplers).toEqual(["temperature", "adaptive_p"]);
  });

  test("what is none is named with its place", () => {
    expect(refused({ samplers: ["top_k", "best"] })).toMatchObject({ field: "samplers[1]" });
    expect(refused({ samplers: "kz" })).toMatchObject({ field: "samplers[1]" });
    expect(refused({ samplers: ["constructor"] })).toMatchObject({ field: "samplers[0]" });
    expect(refused({ samplers: [1] }).message).toContain("must be a string, not a number");
    expect(refused({ samplers: {} }).message).toContain("an array of names or a string of letters");
    expect(refused({ samplers: Array(33).fill("top_k") }).message).toContain("at most 32");
  });
});

describe("dry_sequence_breakers", () => {
  test("strings, and nothing else", () => {
    expect(read({ dry_sequence_breakers: ["\n", "x"] }).drySequenceBreakers).toEqual(["\n", "x"]);
    expect(read({}).drySequenceBreakers).toEqual(["\n", ":", '"', "*"]);
    const at = "dry_sequence_breakers";
    expect(refused({ [at]: [] }).message).toContain("at least one");
    expect(refused({ [at]: "\n" }).field).toBe(at);
    expect(refused({ [at]: ["a", 1] }).field).toBe(`${at}[1]`);
    expect(refused({ [at]: ["a".repeat(513)] }).message).toContain("at most 512");
    expect(refused({ [at]: Array(33).fill("a") }).message).toContain("at most 32");
  });
});

describe("logit_bias", () => {
  const NEVER = Number.NEGATIVE_INFINITY;

  test("ids and texts, as an object and as pairs; false is never", () => {
    expect(read({ logit_bias: { 3: -100, ab: 2 } }).logitBias).toEqual([
      { token: 3, bias: -100 },
      { token: 97, bias: 2 },
      { token: 98, bias: 2 },
    ]);
    expect(
      read({
        logit_bias: [
          [3, false],
          ["a", 1.5],
        ],
      }).logitBias,
    ).toEqual([
      { token: 3, bias: NEVER },
      { token: 97, bias: 1.5 },
    ]);
    expect(read({ logit_bias: { a: false } }).logitBias).toEqual([{ token: 97, bias: NEVER }]);
  });

  test("what is no token or no bias is named", () => {
    expect(refused({ logit_bias: { 256: 1 } }).message).toContain("from 0 to 255");
    expect(refused({ logit_bias: { "-1": 1 } }).message).toContain("from 0 to 255");
    expect(refused({ logit_bias: [[1.5, 1]] }).message).toContain("from 0 to 255");
    expect(refused({ logit_bias: [[1, 2, 3]] }).field).toBe("logit_bias[0]");
    expect(refused({ logit_bias: [[true, 2]] }).message).toContain("not a boolean");
    expect(refused({ logit_bias: { a: true } }).field).toBe("logit_bias[a]");
    expect(refused({ logit_bias: { a: "1" } }).field).toBe("logit_bias[a]");
    expect(refused({ logit_bias: { ["a".repeat(513)]: 1 } }).message).toContain("at most 512");
    expect(refused({ logit_bias: 5 }).field).toBe("logit_bias");
    const many = Array(9).fill(["a".repeat(500), 1]);
    expect(many.length * 500).toBeGreaterThan(LIMITS.logitBiasMax);
    expect(refused({ logit_bias: many }).message).toContain("more than 4096 tokens");
  });
});
