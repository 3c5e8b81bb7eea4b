/** What a hub's error status means, in words. It names its reasons in `x-error-code`; mirrors often do not. */
import { HubError } from "./HubError.ts";
import type { HubOptions } from "./HubOptions.ts";

const TOKEN_PAGE = "settings/tokens";

/** @param what the repository or file that was asked for. */
export function refusal(response: Response, options: HubOptions, what: string): HubError {
  const { status } = response;
  const code = response.headers.get("x-error-code") ?? "";
  const host = new URL(options.endpoint).host;
  const busy = busyHub(response, host, what);
  if (busy?.code === "rate-limited" && options.token === null) {
    return new HubError(
      busy.code,
      `${busy.message.slice(0, -1)}, or set HF_TOKEN: the limit is higher with one.`,
      busy.waitMs,
    );
  }
  if (busy !== undefined) return busy;
  if (code === "GatedRepo" || (status === 403 && code === "")) return gated(options, what);
  if (status === 401 && options.token !== null && code !== "RepoNotFound") {
    return new HubError(
      "token-refused",
      `${host} does not accept the token in HF_TOKEN; make a new one at ${options.endpoint}/${TOKEN_PAGE}.`,
    );
  }
  if (status === 401 || status === 404) return notFound(response, options, what);
  return new HubError(
    "not-a-hub",
    `${host} answers ${what} with status ${status}; check the name and HF_ENDPOINT.`,
  );
}

/** From where the hub sent on: signed addresses are refused when they are old, and the hub gives new ones. */
export function refusalElsewhere(response: Response, host: string, what: string): HubError {
  const words = `${host} does not send ${what} (status ${response.status}); try again later.`;
  return busyHub(response, host, what) ?? new HubError("broken", words);
}

/** What has nothing to do with who asks. */
function busyHub({ status, headers }: Response, host: string, what: string): HubError | undefined {
  if (status === 429) {
    const words = `${host} allows no more requests for now; try again later.`;
    return new HubError("rate-limited", words, askedWait(headers));
  }
  if (status >= 500 || status === 408) {
    const words = `${host} is out of order (status ${status}); try again later.`;
    return new HubError("broken", words, askedWait(headers));
  }
  if (status !== 416) return undefined;
  return new HubError("bad-range", `${host} has less of ${what} than was fetched; run the command again.`);
}

function gated(options: HubOptions, what: string): HubError {
  const [owner, repo] = what.split("/");
  const page = `${options.endpoint}/${owner}/${repo}`;
  const next =
    options.token === null
      ? `ask for access at ${page}, then set HF_TOKEN to a token of yours`
      : `ask for access at ${page} with the account of HF_TOKEN, and let the token read gated repositories`;
  return new HubError("gated", `${what} is only for those whom its owner lets in: ${next}.`);
}

function notFound(response: Response, options: HubOptions, what: string): HubError {
  const host = new URL(options.endpoint).host;
  if (response.headers.get("x-error-code") === "EntryNotFound") {
    return new HubError(
      "not-found",
      `${what} is no longer on ${host}; run the command again for what is there now.`,
    );
  }
  const hidden =
    options.token === null
      ? "or it is private: then set HF_TOKEN"
      : "or it is private and HF_TOKEN may not read it";
  return new HubError("not-found", `There is no ${what} on ${host}; check how it is spelt, ${hidden}.`);
}

/** `retry-after` in seconds or as a date, else the `t` of the hub's own `ratelimit` (`"api";r=0;t=55`). */
function askedWait(headers: Headers): number | null {
  const after = headers.get("retry-after");
  const text = after ?? /(?:^|;)\s*t=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1];
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}
