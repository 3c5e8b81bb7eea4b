/** Starts the page: the chat, the key's field, and the live view, which asks each second while it is seen. */
import { ask, keyNow, ServerError, useKey } from "./api.ts";
import { Chat } from "./Chat.ts";
import { byId } from "./dom.ts";
import type { Live } from "./Live.ts";
import { showLive } from "./liveView.ts";
import { offerExample } from "./settings.ts";

const POLL_MS = 1000;

const form = byId("key-form", HTMLFormElement);
const field = byId("key", HTMLInputElement);
const opener = byId("key-open", HTMLButtonElement);
const state = byId("state", HTMLElement);
let shown = "";
/** So that a key is asked for once, and not again each second. */
let asked = false;

function openKey(isOpen: boolean): void {
  form.hidden = !isOpen;
  opener.setAttribute("aria-expanded", String(isOpen));
  if (isOpen) field.focus();
}

function needKey(): void {
  if (!asked) openKey(true);
  asked = true;
}

/** `kind`: the colour of its dot. */
function say(text: string, kind: "warm" | "working" | "bad" | ""): void {
  if (state.textContent === text) return;
  state.textContent = text;
  state.className = `state ${kind}`;
}

async function look(): Promise<void> {
  try {
    const text = await (await ask("warmturn/live")).text();
    if (text !== shown) show(JSON.parse(text) as Live);
    shown = text;
  } catch (error) {
    shown = "";
    if (!(error instanceof ServerError)) say("not reachable", "bad");
    else if (error.status === 401) {
      say("API key needed", "bad");
      needKey();
    } else say(error.message, error.status === 503 ? "working" : "bad");
  }
}

function show(live: Live): void {
  if (live.asleep) say("asleep", "");
  else if (live.running + live.waiting > 0) say("answering", "working");
  else if (live.warm === "working") say("warming the next turn", "working");
  else say("warm and idle", "warm");
  showLive(live);
}

async function poll(): Promise<void> {
  if (document.visibilityState === "visible") await look();
  setTimeout(() => void poll(), POLL_MS);
}

opener.addEventListener("click", () => openKey(form.hidden !== false));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  useKey(field.value.trim());
  openKey(false);
  asked = false;
  opener.focus();
  void look();
});
field.value = keyNow();
offerExample();
new Chat(needKey);
void poll();
