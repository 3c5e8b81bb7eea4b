/** `check:templates` as a command: one row a template, a line of totals, and an exit code that says what was found. */
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SCRIPT = join(import.meta.dir, "../../../../scripts/checkTemplates.ts");
const root = mkdtempSync(join(tmpdir(), "warmturn-templates-"));
afterAll(() => rmSync(root, { recursive: true }));

const GOOD =
  "{%- for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}{%- for c in m.tool_calls or [] %}<tool_call>\n{{ c.function | tojson }}\n</tool_call>{%- endfor %}<|im_end|>\n{%- endfor %}";
const golden = (text: string): string =>
  JSON.stringify({
    template: "good",
    case: "first",
    request: { messages: [{ role: "user", content: "Hi" }], add_generation_prompt: false },
    context: { messages: [{ role: "user", content: "Hi" }], add_generation_prompt: false },
    text,
  });

async function run(name: string, files: Record<string, string>): Promise<{ code: number; out: string }> {
  const folder = join(root, name);
  mkdirSync(folder);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  const child = Bun.spawn([process.execPath, SCRIPT, folder], { stdio: ["ignore", "pipe", "pipe"] });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out: out + err };
}

test("equal renders and safe text: exit 0", async () => {
  const { code, out } = await run("good", {
    "good.jinja": GOOD,
    "golden.jsonl": golden("<|im_start|>user\nHi<|im_end|>"),
  });
  expect(out).toMatch(/^good +1\/1 +1\/1 +\d+\/\d+ +495\/495 beyond 0 +765\/765 beyond 0 +3\/3 inferred: /m);
  expect(out.trimEnd().split("\n").at(-1)).toMatch(/^1 templates, 0 failed +1\/1 +1\/1 +/);
  expect(code).toBe(0);
});

test("a difference is shown where it begins: exit 1", async () => {
  const { code, out } = await run("other", {
    "good.jinja": GOOD,
    "golden.jsonl": golden("<|im_start|>user\nHo<|im_end|>"),
  });
  expect(out).toContain("context: first: at 18:");
  expect(out).toContain("1 failed");
  expect(code).toBe(1);
});

test("without golden rows the rest is checked; what does not parse fails", async () => {
  const { code, out } = await run("bad", { "bad.jinja": "{% if %}", "good.jinja": GOOD });
  expect(out).toMatch(/^bad +The chat template does not parse/m);
  expect(out).toMatch(/^good +0\/0 +0\/0 +\d+\/\d+ +\d+\/\d+ beyond 0 +\d+\/\d+ beyond 0 +3\/3 inferred: /m);
  expect(code).toBe(1);
});

test("nothing to check: exit 2", async () => {
  const { code, out } = await run("none", {});
  expect(out).toContain("holds no .jinja files");
  expect(code).toBe(2);
});

test("a golden.jsonl that cannot be read: its line, and exit 2", async () => {
  const files = { "good.jinja": GOOD };
  const cut = await run("cut", { ...files, "golden.jsonl": `${golden("x")}\n{"a": ` });
  expect(cut.out).toMatch(/^golden\.jsonl, line 2: /);
  const poor = await run("poor", { ...files, "golden.jsonl": '{"template": "good", "case": "a"}' });
  expect(poor.out).toBe("golden.jsonl, line 1: request is no object.\n");
  expect([cut.code, poor.code]).toEqual([2, 2]);
});
