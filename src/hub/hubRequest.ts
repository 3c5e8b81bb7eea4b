/**
 * One GET, from redirect to redirect: the token goes to the hub's own origin and nowhere else, a server that
 * says nothing is given up, and every refusal is a HubError.
 */
import { HubError } from "./HubError.ts";
import type { HubOptions } from "./HubOptions.ts";
import { refusal, refusalElsewhere } from "./refusal.ts";

/** An answer of 2xx. */
export interface HubAnswer {
  readonly response: Response;
  /** Pieces of the body; throws HubError("broken") where it breaks off or stands still. */
  readonly body: () => AsyncIterable<Uint8Array>;
  /** Ends the request; for a body that nobody reads on. */
  readonly cancel: () => void;
}

const REDIRECTS_MAX = 10;

/**
 * @param what the repository or file that is asked for, for errors.
 * @throws HubError
 */
export async function hubRequest(
  options: HubOptions,
  url: string,
  headers: Readonly<Record<string, string>>,
  what: string,
): Promise<HubAnswer> {
  const watch = new Watch();
  let at = url;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const response = await answer(options, at, headers, watch);
    if (response.ok) {
      return {
        response,
        body: () => bodyOf(response, watch, options),
        cancel: () => watch.abort(),
      };
    }
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) {
      watch.abort();
      throw isOwn(options, at)
        ? refusal(response, options, what)
        : refusalElsewhere(response, hostOf(at), what);
    }
    const next = URL.parse(location, at);
    if (next === null || !/^https?:$/.test(next.protocol)) {
      throw new HubError("not-a-hub", `${hostOf(at)} redirects to "${location}", which is no address.`);
    }
    await response.body?.cancel().catch(() => {});
    at = next.href;
  }
  throw new HubError("not-a-hub", `${hostOf(url)} redirects more than ${REDIRECTS_MAX} times for ${what}.`);
}

async function answer(
  options: HubOptions,
  url: string,
  headers: Readonly<Record<string, string>>,
  watch: Watch,
): Promise<Response> {
  const own = isOwn(options, url);
  const authorization = own && options.token !== null ? { authorization: `Bearer ${options.token}` } : {};
  try {
    return await watch.within(
      options.answerMsMax,
      fetch(url, {
        redirect: "manual",
        signal: watch.signal,
        // Ours is the shorter one, and knows what to say.
        timeout: false,
        headers: { "user-agent": "warmturn", "accept-encoding": "identity", ...headers, ...authorization },
      }),
    );
  } catch (error) {
    if (watch.expired) {
      const seconds = Math.round(options.answerMsMax / 1000);
      throw new HubError("broken", `${hostOf(url)} does not answer within ${seconds} s; try again later.`);
    }
    throw unreachable(url, error);
  }
}

function isOwn(options: HubOptions, url: string): boolean {
  return new URL(url).origin === new URL(options.endpoint).origin;
}

async function* bodyOf(response: Response, watch: Watch, options: HubOptions): AsyncIterable<Uint8Array> {
  const reader = response.body?.getReader();
  try {
    while (reader !== undefined) {
      const { done, value } = await watch.within(options.stallMsMax, reader.read());
      if (done) return;
      yield value;
    }
  } catch (error) {
    if (error instanceof HubError) throw error;
    const seconds = Math.round(options.stallMsMax / 1000);
    const why = watch.expired ? `sent nothing for ${seconds} s` : `broke the connection (${codeOf(error)})`;
    throw new HubError(
      "broken",
      `${hostOf(response.url)} ${why}; run the same command again to go on from there.`,
    );
  } finally {
    watch.abort();
  }
}

/** Ends a request when a step of it takes too long. */
class Watch {
  readonly #controller = new AbortController();
  expired = false;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller.abort();
  }

  async within<T>(ms: number, step: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.expired = true;
      this.abort();
    }, ms);
    try {
      return await step;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Without what a signed address holds. */
function hostOf(url: string): string {
  return new URL(url).host;
}

function unreachable(url: string, error: unknown): HubError {
  const code = codeOf(error);
  const words = `${hostOf(url)} cannot be reached (${code}); check the network, or HF_ENDPOINT and HTTPS_PROXY.`;
  return new HubError(/RESET|Closed|EPIPE/i.test(code) ? "broken" : "unreachable", words);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
