/** A server that is killed while it writes what it keeps: no reply is ever wrong, and no leftover is complained of. */
import { expect, test } from "bun:test";
import { playKills } from "../support/killPlay.ts";
import { tinyModel } from "../support/tinyModels/tinyModel.ts";

const KILLS = 4;

test("killed at random moments, with kept states on disk", async () => {
  const { path } = await tinyModel("lfm2");
  const played = await playKills(path, KILLS, "killed");
  expect([played.wrong, played.complaints, played.movedAside]).toEqual([[], [], []]);
  expect(played.replies).toBeGreaterThan(0);
}, 120_000);
