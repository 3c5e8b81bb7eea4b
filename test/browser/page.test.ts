/**
 * The page in a real browser, over the demo model: a chat with reasoning, a call and a warm second turn; edit, retry and
 * stop; keys; dark, on a phone, and without a mouse. WARMTURN_SCREENSHOTS names a folder for pictures of it.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type ServedCommand, serveCommand } from "../support/Command.ts";
import { CHROMIUM, openBrowser, type Watched, watch } from "./openBrowser.ts";

const DEMO = join(import.meta.dir, "..", "..", "models", "demo", "demo.gguf");
const SERVER = ["-m", DEMO, "-t", "1", "-np", "2", "-c", "4096", "--temp", "0"];
const SYSTEM = "You are a helpful assistant. Answer in a few words, and say why. ".repeat(8);
const PHONE = { width: 375, height: 720 };
const KEY = "a-key-of-the-test";

if (CHROMIUM === undefined) {
  console.warn("SKIPPED: there is no Chromium here. apt-get install chromium, or set WARMTURN_CHROMIUM.");
}

describe.skipIf(CHROMIUM === undefined)("the page", () => {
  let browser: Browser;
  let server: ServedCommand;
  let keyed: ServedCommand;

  beforeAll(async () => {
    browser = await openBrowser();
    server = await serveCommand(SERVER);
    keyed = await serveCommand([...SERVER, "--api-key", KEY]);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    await keyed?.[Symbol.asyncDispose]();
  });

  async function onPage(
    options: BrowserContextOptions,
    play: (page: Page, watched: Watched) => Promise<void>,
    at = server,
  ): Promise<void> {
    const context = await browser.newContext(options);
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      const watched = watch(page, at.url);
      await page.goto(at.url);
      await play(page, watched);
      expect(watched.foreign).toEqual([]);
    } finally {
      await context.close();
    }
  }

  test("a call with reasoning is shown, its result answered, and the next turn is seen warmed", async () => {
    await onPage({ viewport: { width: 1280, height: 900 } }, async (page, { errors }) => {
      await page.getByText("Settings").click();
      await page.getByLabel("System prompt").fill(SYSTEM);
      await page.getByRole("button", { name: "Put in an example tool" }).click();
      await page.getByText("Settings").click();
      await say(page, "What is the weather in Paris?");
      await page.getByText("Calls get_weather").waitFor();
      await page.getByText('{"city": "Paris"}').waitFor();
      expect(await page.locator(".reasoning .text").first().textContent()).toContain("weather");
      await warm(page);
      await page.getByLabel("Result of get_weather").fill("18 degrees, sunny");
      await page.getByRole("button", { name: "Send results" }).click();
      await page.locator(".message.assistant").nth(1).getByRole("button", { name: "Retry" }).waitFor();
      // The newest turn of the live view stands first.
      await page.getByText(/^Conversation \d+ · 2 turns, last resumed from/).waitFor();
      const turn = page.locator(".turn").first();
      expect(await turn.textContent()).toMatch(/: \d+ resumed \([1-9]\d* warmed\), \d+ prefilled/);
      expect(await turn.locator(".bar .warmed").count()).toBe(1);
      expect(await serious(page)).toEqual([]);
      expect(errors).toEqual([]);
      await picture(page, "light");
    });
  });

  test("a message is edited, a reply is asked for again, a long one is stopped", async () => {
    await onPage({}, async (page, { errors }) => {
      await say(page, "Hello");
      await page.getByRole("button", { name: "Retry" }).click();
      await page.getByRole("button", { name: "Retry" }).waitFor();
      expect(await page.locator(".message").count()).toBe(2);
      await page.getByRole("button", { name: "Edit" }).click();
      expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("Hello");
      expect(await page.locator(".message").count()).toBe(0);
      // The reply is held back, so that there is something to stop.
      await page.route("**/v1/chat/completions", () => {});
      await page.getByLabel("Message", { exact: true }).press("Enter");
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByRole("button", { name: "Send" }).waitFor();
      expect(await page.locator("#notice").textContent()).toBe("");
      await page.unroute("**/v1/chat/completions");
      await page.getByRole("button", { name: "Retry" }).click();
      await page.locator(".message.assistant").getByRole("button", { name: "Retry" }).waitFor();
      expect(errors).toEqual([]);
    });
  });

  test("dark, on a phone: nothing is wider than the screen, and axe finds nothing serious", async () => {
    await onPage({ viewport: PHONE, colorScheme: "dark" }, async (page, { errors }) => {
      await say(page, "How are you? Tell me in one sentence.");
      await page.locator(".turn").first().waitFor();
      const width = await page.evaluate("document.documentElement.scrollWidth");
      expect(width).toBe(PHONE.width);
      await page.getByText("Settings").click();
      const hidden =
        "document.querySelector('#settings').scrollHeight - document.querySelector('#settings').clientHeight";
      expect(await page.evaluate(hidden)).toBe(0);
      await page.getByText("Settings").click();
      const back = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      expect(back).toBe("rgb(22, 20, 18)");
      expect(await serious(page)).toEqual([]);
      expect(errors).toEqual([]);
      await picture(page, "phone-dark");
      await page.setViewportSize({ width: 1280, height: 900 });
      expect(await serious(page)).toEqual([]);
      await picture(page, "dark");
    });
  });

  test("by keyboard alone", async () => {
    await onPage({}, async (page) => {
      const { keyboard } = page;
      await keyboard.press("Tab");
      await keyboard.press("Enter");
      expect(await page.evaluate("document.activeElement.id")).toBe("prompt");
      await keyboard.type("Hello");
      await keyboard.press("Enter");
      await page.getByRole("button", { name: "Retry" }).waitFor();
      expect(await reached(page, "Retry")).toBe(true);
      await keyboard.press("Enter");
      await page.locator(".message.assistant").getByRole("button", { name: "Retry" }).waitFor();
      expect(await reached(page, "Edit")).toBe(true);
      await keyboard.press("Enter");
      expect(await page.evaluate("document.activeElement.id")).toBe("prompt");
    });
  });

  test("a key is asked for, and used", async () => {
    await onPage(
      { viewport: PHONE },
      async (page) => {
        await page.getByText("API key needed").waitFor();
        expect(await serious(page)).toEqual([]);
        await page.getByLabel("API key").fill(KEY);
        await page.keyboard.press("Enter");
        await page.getByText("warm and idle").waitFor();
        await say(page, "Hello");
        await page.getByText("Conversation 1").waitFor();
      },
      keyed,
    );
  });
});

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Retry" }).last().waitFor();
}

/** The reply's bar stands there, and nothing is being warmed. */
async function warm(page: Page): Promise<void> {
  await page.locator(".turn").first().waitFor();
  await page.getByText("warm and idle").waitFor();
}

/** Walks by Tab until the button has the focus; false where it never gets it. */
async function reached(page: Page, name: string): Promise<boolean> {
  for (let step = 0; step < 30; step += 1) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate("document.activeElement.textContent")) === name) return true;
  }
  return false;
}

async function serious(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env["WARMTURN_SCREENSHOTS"];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
