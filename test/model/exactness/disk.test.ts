/**
 * The exactness matrix through disk: a state that another process wrote, put together from pieces, goes on as a cold run
 * does, bit for bit; with halves and with quantised cells, at the last cut and where a branch leaves the prompt.
 */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Backend } from "../../../ffi/Backend.ts";
import type { CacheType } from "../../../ffi/Context.ts";
import { Model } from "../../../ffi/Model.ts";
import { StatesBench } from "../../support/exactness/StatesBench.ts";
import { TINY_KINDS, tinyModel } from "../../support/tinyModels/tinyModel.ts";

const SETTINGS = { chunkTokensMin: 32, chunkTokensMax: 120, tripTokensMin: 128 };
/** Busy cores take their time. */
const TEST_MS_MAX = 120_000;

describe.each(TINY_KINDS)("%s", (kind) => {
  test.each<CacheType>(["f16", "q8_0"])(
    "%s cells: resumed from files, in a new context, and from what it shares with another prompt",
    async (cacheType) => {
      const path = mkdtempSync(join(tmpdir(), "warmturn-exact-"));
      const { path: file, memory } = await tinyModel(kind);
      const backend = Backend.open();
      const model = Model.load(backend, { path: file, gpuLayers: 0 });
      const open = () =>
        new StatesBench({
          model,
          memory,
          threads: 1,
          ubatch: 128,
          settings: SETTINGS,
          lanes: 1,
          spares: 0,
          replyTokens: 12,
          seed: 1,
          cacheType,
        });
      try {
        let prompts: readonly (readonly number[])[] = [];
        {
          using bench = open();
          bench.openDisk(path);
          const last = bench.plan(bench.base).cuts.at(-1) ?? 0;
          prompts = [bench.base, bench.goOn(last), bench.goOn(bench.headCut)];
          bench.run(bench.base, "a", 1);
          await bench.rest();
        }
        const sources: string[] = [];
        for (const prompt of prompts) {
          using bench = open();
          bench.openDisk(path);
          const id = bench.run(prompt, "b", 1);
          const report = bench.report(id);
          sources.push(report.source);
          using cold = open();
          expect(bench.gave(id)).toEqual(cold.gave(cold.run(prompt, "c", 1)));
          expect(report.resumedTokens).toBeGreaterThan(0);
        }
        expect(sources).toEqual(["disk", "disk", "disk"]);
      } finally {
        model.close();
        backend.close();
        rmSync(path, { recursive: true, force: true });
      }
    },
    TEST_MS_MAX,
  );
});
