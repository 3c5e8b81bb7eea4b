/** The live view: tiles, lanes, and the turns by conversation, each as a bar. */
import { byId, el } from "./dom.ts";
import type { Live, LiveLane, LiveTurn } from "./Live.ts";

/** Turns of one conversation that are shown. */
const TURNS_SHOWN = 8;

export function showLive(live: Live): void {
  byId("model", HTMLElement).textContent = live.model;
  byId("tiles", HTMLElement).replaceChildren(...tilesOf(live));
  byId("lanes", HTMLElement).replaceChildren(...live.lanes.map(laneView));
  const talks = [...Map.groupBy(live.turns, ({ conversation }) => conversation)];
  byId("turns", HTMLElement).replaceChildren(
    ...(talks.length === 0
      ? [el("p", "quiet", "No turn has ended yet.")]
      : talks.map(([conversation, turns]) => talkView(conversation, turns))),
  );
}

function tilesOf({ running, waiting, totals, speed, memory, context }: Live): readonly HTMLElement[] {
  const prompts = totals.resumed + totals.prefilled;
  const saved = prompts === 0 ? "–" : `${Math.round((totals.resumed * 100) / prompts)} %`;
  const perSecond = (value: number | null): string => (value === null ? "–" : whole(value));
  const tiles: readonly (readonly [string, string])[] = [
    ["Running, waiting", `${running}, ${waiting}`],
    ["Prompts resumed", saved],
    ["Prefill, tokens/s", perSecond(speed.prefill)],
    ["Replies, tokens/s", perSecond(speed.reply)],
    ["Context, tokens", whole(context)],
    ["Model", size(memory.weights)],
    ["KV cache", size(memory.sequences)],
    ["Kept states, up to", size(memory.states_max)],
    ...(memory.process === null ? [] : [["Server process", size(memory.process)] as const]),
  ];
  return tiles.map(([name, value]) => el("div", "", el("dt", "", name), el("dd", "", value)));
}

function laneView({ busy, own }: LiveLane, index: number): HTMLElement {
  const name = `${index + 1}`;
  if (own === null) return el("li", "quiet", `${name}: ${busy ? "busy" : "idle"}`);
  const { prompt, resumed, prefilled, generated } = own;
  const rest = prompt - resumed - prefilled;
  const what =
    rest > 0 ? `prefilling ${whole(resumed + prefilled)} of ${whole(prompt)}` : `${whole(generated)} tokens`;
  return el("li", "", `${name}:`, bar({ resumed, warmed: 0, prefilled, rest }, what), what);
}

function talkView(conversation: number | null, turns: readonly LiveTurn[]): HTMLElement {
  const name = conversation === null ? "No conversation" : `Conversation ${conversation}`;
  const [last] = turns;
  const tier =
    last === undefined || last.resumed === 0
      ? ""
      : `, last resumed from ${TIERS[last.source] ?? last.source}`;
  const count = turns.length === 1 ? "1 turn" : `${turns.length} turns`;
  return el(
    "article",
    "talk",
    el("h4", "", name, el("span", "quiet", ` · ${count}${tier}`)),
    ...turns.slice(0, TURNS_SHOWN).map(turnView),
  );
}

const TIERS: Readonly<Record<string, string>> = {
  sequence: "its sequence",
  snapshot: "a snapshot",
  host: "host memory",
  disk: "disk",
  fork: "another conversation's beginning",
};

function turnView(turn: LiveTurn): HTMLElement {
  const { prompt, resumed, warmed, prefilled, generated, first_token_ms: first, end, why } = turn;
  const parts = `${whole(resumed)} resumed (${whole(warmed)} warmed), ${whole(prefilled)} prefilled`;
  const speed = turn.tokens_per_second === null ? "" : `, ${whole(turn.tokens_per_second)} tokens/s`;
  const row = el(
    "div",
    "row",
    el("b", "", first === null ? "no token" : `first token ${time(first)}`),
    el("span", "", `prompt ${whole(prompt)}: ${parts}`),
    el("span", "quiet", `reply ${whole(generated)}${speed}`),
    ...(end === "done" ? [] : [el("span", "quiet", end)]),
  );
  const view = el("div", "turn", row, bar({ resumed: resumed - warmed, warmed, prefilled, rest: 0 }, parts));
  if (turn.miss !== null || resumed === 0) view.append(el("div", "quiet", why));
  return view;
}

interface Parts {
  readonly warmed: number;
  readonly resumed: number;
  readonly prefilled: number;
  /** Not there yet. */
  readonly rest: number;
}

function bar(parts: Parts, label: string): HTMLElement {
  const { resumed, warmed, prefilled, rest } = parts;
  const made = el("div", "bar");
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", label);
  const all = Math.max(1, resumed + warmed + prefilled + rest);
  for (const [name, tokens] of Object.entries({ resumed, warmed, prefilled })) {
    if (tokens <= 0) continue;
    const piece = el("i", name);
    piece.style.width = `${(tokens * 100) / all}%`;
    made.append(piece);
  }
  return made;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function time(ms: number): string {
  return ms < 1000 ? `${whole(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function size(bytes: number): string {
  const mib = bytes / 2 ** 20;
  return mib < 1024 ? `${whole(mib)} MiB` : `${(mib / 1024).toFixed(1)} GiB`;
}
