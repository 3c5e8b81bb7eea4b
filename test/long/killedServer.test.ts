/** 200 kills at random moments under load, on each kind of memory that keeps rows, snapshots or whole states. */
import { expect, test } from "bun:test";
import { playKills } from "../support/killPlay.ts";
import { type TinyKind, tinyModel } from "../support/tinyModels/tinyModel.ts";

const KILLS: readonly (readonly [TinyKind, number])[] = [
  ["qwen3", 60],
  ["qwen35", 50],
  ["gemma3", 50],
  ["mamba2", 40],
];

test.each(KILLS)(
  "%s, killed %d times: no wrong resume, no complaint, and what was on disk is resumed",
  async (kind, kills) => {
    const { path } = await tinyModel(kind);
    const played = await playKills(path, kills, kind);
    console.log(
      `${kind}: ${played.kills} kills, ${played.replies} replies, ${played.fromDisk} resumed from disk`,
    );
    expect([played.wrong, played.complaints, played.movedAside]).toEqual([[], [], []]);
    expect(played.fromDisk).toBeGreaterThan(0);
  },
  3_600_000,
);
