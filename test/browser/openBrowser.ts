/** Debian's Chromium over a profile of its own, with nothing that asks the network by itself. */
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const ARGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const NAMED = process.env["WARMTURN_CHROMIUM"];

/** The one that WARMTURN_CHROMIUM names, else where packages put it; undefined where it is not there. */
export const CHROMIUM = (NAMED === undefined ? PLACES : [NAMED]).find((path) => existsSync(path));

export async function openBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("There is no Chromium here.");
  return await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
}

/** What a page asked of others than its own server, and what it complained of. */
export interface Watched {
  readonly foreign: string[];
  readonly errors: string[];
}

export function watch(page: Page, own: string): Watched {
  const watched: Watched = { foreign: [], errors: [] };
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(own) && !url.startsWith("data:")) watched.foreign.push(url);
  });
  page.on("pageerror", (error) => watched.errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") watched.errors.push(message.text());
  });
  return watched;
}
