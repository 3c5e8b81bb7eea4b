/**
 * Does the guess of the next prompt hold? For each talk and client the oracle names the cut at which the next
 * request can resume; one of the warmed plans must be its prefix up to there, with equal cuts and trips
 * (`predicted`). Where a prompt is rewritten, the state kept in front of the rewritten part must be there: for the
 * warm pass, and for a user who breaks off a tool loop (`kept`). `beyond`: tokens that are prefilled again though
 * they could be known.
 */
import type { ChunkRules, Plan } from "../../../src/plan/Plan.ts";
import { ECHO_CLIENTS } from "../clients/echo.ts";
import type { WireMessage, WireRequest } from "../clients/wire.ts";
import { foreseenResume, lastPlace, shared } from "../oracle/expectedResume.ts";
import type { CheckedTemplate } from "./CheckedTemplate.ts";
import documented from "./documented.json";
import { brokenTalks, type PredictionTalk, predictionTalks } from "./predictionTalks.ts";
import type { TemplateColumn, Verdict } from "./TemplateColumn.ts";
import { requestKey, TextSide } from "./TextSide.ts";

export const predictionColumn: TemplateColumn = {
  title: "predicted",
  check: (template) => checked(template, [[predictionTalks, predicted]]),
};

export const keptColumn: TemplateColumn = {
  title: "kept",
  check: (template) =>
    checked(template, [
      [predictionTalks, rewritten],
      [brokenTalks, broken],
    ]),
};

/** Small chunks; a server's, where most cuts are message starts; and a sliding-window model's. */
const RULES = [
  { chunkTokensMin: 6, chunkTokensMax: 40, tripTokensMin: 0 },
  { chunkTokensMin: 16, chunkTokensMax: 512, tripTokensMin: 0 },
  { chunkTokensMin: 6, chunkTokensMax: 40, tripTokensMin: 25 },
];

interface Outcome {
  /** Where the request resumes, where it has to, and where it could at best. */
  readonly resumed: number;
  readonly required: number;
  readonly best: number;
}

type Judge = (side: TextSide, rules: ChunkRules, talk: PredictionTalk) => Outcome | undefined;
type Talks = typeof predictionTalks;

function checked(template: CheckedTemplate, parts: readonly (readonly [Talks, Judge])[]): Verdict {
  let good = 0;
  let of = 0;
  let listed = 0;
  let beyond = 0;
  const problems: string[] = [];
  const side = new TextSide(template.prompter);
  // Clients whose requests are the same to the server have the same outcome.
  const outcomes = new Map<string, Outcome | undefined>();
  for (const client of ECHO_CLIENTS) {
    for (const [talks, judge] of parts) {
      for (const talk of talks(client)) {
        const same = [judge.name, talk.name, requestKey(talk.sent), requestKey(talk.next)].join();
        for (const [i, own] of RULES.entries()) {
          const key = `${i}${same}`;
          if (!outcomes.has(key)) outcomes.set(key, outcomeOf(side, side.rules(own), talk, judge));
          const outcome = outcomes.get(key);
          if (outcome === undefined) continue;
          of++;
          beyond += Math.max(0, outcome.best - outcome.resumed);
          const name = `${talk.name}${judge === rewritten ? ", rewritten" : ""}`;
          if (outcome.resumed >= outcome.required) good++;
          else if (isDocumented(template.hash, name)) listed++;
          else
            problems.push(
              `${name}, ${client.name}: resumes at ${outcome.resumed}, not at ${outcome.required}`,
            );
        }
      }
    }
  }
  return { good, of, documented: listed, problems, beyond };
}

function isDocumented(hash: string, name: string): boolean {
  const entries: readonly { readonly template: string; readonly talks: readonly string[] }[] =
    documented.predicted;
  return entries.some((entry) => entry.template === hash && entry.talks.includes(name));
}

/** A talk that the template refuses is none. */
function outcomeOf(
  side: TextSide,
  rules: ChunkRules,
  talk: PredictionTalk,
  judge: Judge,
): Outcome | undefined {
  const requests = [talk.sent, talk.next, ...(talk.loop === undefined ? [] : [talk.loop])];
  return requests.some((request) => side.refuses(request)) ? undefined : judge(side, rules, talk);
}

function predicted(side: TextSide, rules: ChunkRules, { sent, reply, next }: PredictionTalk): Outcome {
  const { resume } = foreseenResume((request) => side.promptOf(request), rules, sent, reply, next);
  const states = [...side.warmed(sent, reply, rules), side.planOf(sent, rules)];
  const resumed = resumeOf(states.map(lastState), side.planOf(next, rules), rules);
  return { resumed, required: resume, best: resume };
}

/** Where the warm pass itself resumes: from what was kept of the prompt, in front of what is rewritten. */
function rewritten(side: TextSide, rules: ChunkRules, { sent, reply }: PredictionTalk): Outcome | undefined {
  const [first] = side.warmed(sent, reply, rules);
  if (first === undefined) return undefined;
  const tokens = [...first.tokens];
  const best = lastPlace(tokens.slice(0, shared(side.promptOf(sent), tokens)), rules);
  const resumed = resumeOf([keptStates(side.planOf(sent, rules))], first, rules);
  return { resumed, required: keptPlace(side, rules, sent, tokens, best), best };
}

/** What the request that was broken off kept; states of older ones may be gone. */
function broken(side: TextSide, rules: ChunkRules, { sent, reply, loop, next }: PredictionTalk): Outcome {
  const prompt = side.promptOf(next);
  const plan = side.planOf(next, rules);
  const required = (best: number) => keptPlace(side, rules, sent, prompt, best);
  if (loop === undefined) {
    const best = foreseenResume((request) => side.promptOf(request), rules, sent, reply, next).resume;
    const states = [keptStates(side.planOf(sent, rules)), ...side.warmed(sent, reply, rules).map(lastState)];
    return { resumed: resumeOf(states, plan, rules), required: required(best), best };
  }
  const best = lastPlace(prompt.slice(0, shared(side.promptOf(loop), prompt)), rules);
  const resumed = resumeOf([keptStates(side.planOf(loop, rules))], plan, rules);
  return { resumed, required: required(best), best };
}

/**
 * Of the places that are kept, the last one up to `best`: the end of `request`'s last user message; where the prompt is
 * rewritten in front of that message, the end of system and tools. Without marks no message is told from another.
 */
function keptPlace(
  side: TextSide,
  rules: ChunkRules,
  request: WireRequest,
  prompt: readonly number[],
  best: number,
): number {
  if (rules.openers.length === 0) return 0;
  const { messages } = request;
  const first = messages.findIndex((message) => message.role === "user");
  const last = messages.findLastIndex((message) => message.role === "user");
  const inCommon = (asked: readonly WireMessage[], all = prompt): number => {
    const shorter = { ...request, messages: asked };
    return side.refuses(shorter) ? 0 : lastPlace(all.slice(0, shared(side.promptOf(shorter), all)), rules);
  };
  const other: WireMessage = { role: "user", content: "§ Another text" };
  const start = inCommon([...messages.slice(0, last), other], side.promptOf(request));
  const place =
    best < start ? inCommon([...messages.slice(0, first), other]) : inCommon(messages.slice(0, last + 1));
  return Math.min(best, place);
}

interface States {
  readonly plan: Plan;
  readonly places: readonly number[];
}

function lastState(plan: Plan): States {
  return { plan, places: [plan.cuts.at(-1) ?? 0] };
}

function keptStates(plan: Plan): States {
  return { plan, places: plan.keep.map(({ cut }) => cut) };
}

/** The furthest kept place that is a state of `next`'s, too; 0 where none is. */
function resumeOf(all: readonly States[], next: Plan, rules: ChunkRules): number {
  let best = 0;
  for (const { plan, places } of all) {
    const stops = rules.tripTokensMin > 0 ? plan.trips : plan.cuts;
    for (const place of places) {
      // On a window model a kept point means the last trip at or before it.
      const stop = stops.findLast((one) => one <= place) ?? 0;
      const index = plan.cuts.indexOf(stop);
      // Equal keys are equal tokens, cuts and trips.
      if (stop > best && next.cuts[index] === stop && next.keys[index] === plan.keys[index]) best = stop;
    }
  }
  return best;
}
