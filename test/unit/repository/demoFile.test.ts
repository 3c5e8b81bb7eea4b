/** The committed demo model is the one that its card describes. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dir, "../../../models/demo");
const BYTES_MAX = 10_000_000;

test("the card names the model file's SHA-256 and size", () => {
  const bytes = readFileSync(join(FOLDER, "demo.gguf"));
  const card = readFileSync(join(FOLDER, "README.md"), "utf8");
  expect(card).toContain(new Bun.CryptoHasher("sha256").update(bytes).digest("hex"));
  expect(card).toContain(`${bytes.length.toLocaleString("en")} bytes`);
  expect(bytes.length).toBeLessThan(BYTES_MAX);
});
