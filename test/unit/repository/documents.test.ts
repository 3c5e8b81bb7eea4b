/** The documents hold together: links lead somewhere, flags are there, requests are answered, the README is short. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { FLAGS } from "../../../src/config/flags.ts";
import { fakeServer } from "../../support/FakeServer.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
const README_LINES_MAX = 140;
const files = ["", "docs"].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name)),
);
const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const withoutFences = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, "");

/** As GitHub makes them of headings: lower case, words joined by dashes, other marks dropped. */
function anchorsOf(path: string): readonly string[] {
  return [...withoutFences(textOf(path)).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

/** Of links to this repository: what is not there. */
function brokenLinks(path: string): readonly string[] {
  const links = [...withoutFences(textOf(path)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? path : join(dirname(path), file);
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
}

test("links lead to files and headings that are there", () => {
  expect(files.length).toBeGreaterThan(12);
  expect(files.flatMap((path) => brokenLinks(path).map((link) => `${path}: ${link}`))).toEqual([]);
});

test("the README is for a first quarter of an hour", () => {
  expect(textOf("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(README_LINES_MAX);
});

test("flags that documents for users name are the server's, or a command's that they stand behind", () => {
  const known = Object.values(FLAGS).flatMap(({ names, negative }) => [...names, ...negative]);
  /** Of `warmturn chat`, `doctor`, `models` and Docker. */
  const others = [
    "--url",
    "--tools",
    "--json",
    "--help",
    "--version",
    "--gpus",
    "--build-arg",
    "--read-only",
    "--tmpfs",
  ];
  const users = files.filter((path) => path.startsWith("docs") && !/llama-server|clients/.test(path));
  for (const path of users) {
    const named = [...textOf(path).matchAll(/`(--[a-z][a-z-]+)(?![\w-])/g)].map(([, flag = ""]) => flag);
    const unknown = named.filter(
      (flag) => !others.includes(flag) && !(known as readonly string[]).includes(flag),
    );
    expect([path, ...unknown]).toEqual([path]);
  }
});

interface Curl {
  readonly path: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** What curl sends where no type is given. */
const CURLS_OWN = { "content-type": "application/x-www-form-urlencoded" };
const CHAT = '{"messages": [{"role": "user", "content": "Hello"}]}';

/** Requests with a body: in the command, or a chat for one that is in a file. */
function curlsIn(path: string): readonly Curl[] {
  const text = textOf(path).replaceAll("\\\n", " ");
  const lines = text.split("\n").filter((line) => /^curl /.test(line) && / -d ['@]/.test(line));
  return lines.map((line) => ({
    path,
    url: /http:\/\/127\.0\.0\.1:8080(\S*)/.exec(line)?.[1] ?? "",
    headers: {
      ...CURLS_OWN,
      ...Object.fromEntries(
        [...line.matchAll(/-H '([^:']+): ([^']+)'/g)].map(([, name = "", value = ""]) => [name, value]),
      ),
    },
    body: / -d '([^']*)'/.exec(line)?.[1] ?? CHAT,
  }));
}

test("requests to paste are answered", async () => {
  const { app } = fakeServer();
  const curls = files.flatMap(curlsIn);
  expect(curls.length).toBeGreaterThan(2);
  for (const { path, url, headers, body } of curls) {
    const request = new Request(`http://localhost${url}`, { method: "POST", headers, body });
    const answer = await app.fetch(request);
    expect([path, url, answer.status]).toEqual([path, url, 200]);
    await answer.text();
  }
});

test("JSON in documents can be read", () => {
  for (const path of files) {
    for (const [, code = ""] of textOf(path).matchAll(/^```json\n([\s\S]*?)^```$/gm)) {
      expect(() => JSON.parse(code)).not.toThrow();
    }
  }
});

test("commands and folders that documents for developers name are there", () => {
  const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
  const text = textOf("CONTRIBUTING.md");
  const commands = [...text.matchAll(/\bbun run ([a-z:]+)/g)].map(([, name = ""]) => name);
  expect(commands.length).toBeGreaterThan(10);
  expect(commands.filter((name) => !(name in scripts))).toEqual([]);
  const paths = [
    ...text.matchAll(/`((?:src|ffi|test|scripts|bench|docs|deploy|models|patches)\/[\w/.-]*)`/g),
  ];
  expect(paths.length).toBeGreaterThan(20);
  const missing = paths.map(([, path = ""]) => path).filter((path) => !existsSync(join(ROOT, path)));
  expect(missing).toEqual([]);
});
