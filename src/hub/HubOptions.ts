/** Where the hub is, who asks, and how long anything may take. From the environment, once. */
import { HubError } from "./HubError.ts";

export interface HubOptions {
  /** `https://host[/path]`, without a slash at its end. */
  readonly endpoint: string;
  /** Sent to `endpoint`'s own origin only. */
  readonly token: string | null;
  /** Until an answer begins. */
  readonly answerMsMax: number;
  /** Between two pieces of an answer. */
  readonly stallMsMax: number;
  /** Tries in a row that bring nothing. */
  readonly triesMax: number;
  /** Before the second try; doubled for each further one. */
  readonly retryMs: number;
  /** The longest wait that a hub may ask for. The usual one counts in windows of five minutes. */
  readonly askedWaitMsMax: number;
  readonly wait: (ms: number) => Promise<void>;
}

const HOST = "https://huggingface.co";

/** `HF_ENDPOINT` and `HF_TOKEN`. Throws HubError("bad-name") that names the variable. */
export function hubOptions(env: Readonly<Record<string, string | undefined>>): HubOptions {
  return {
    endpoint: readEndpoint(env["HF_ENDPOINT"] || HOST),
    token: readToken(env["HF_TOKEN"]),
    answerMsMax: 30_000,
    stallMsMax: 30_000,
    triesMax: 5,
    retryMs: 1_000,
    askedWaitMsMax: 5 * 60_000,
    wait: (ms) => Bun.sleep(ms),
  };
}

function readEndpoint(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new HubError(
      "bad-name",
      `The environment variable HF_ENDPOINT is "${text}"; allowed is an address such as ${HOST}.`,
    );
  }
  return url.href.replace(/\/+$/, "");
}

function readToken(text: string | undefined): string | null {
  const token = text?.trim() ?? "";
  if (token === "") return null;
  // What cannot stand in a header would be a crash in the middle of a request.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new HubError(
      "bad-name",
      "The environment variable HF_TOKEN holds blanks or characters that no token has.",
    );
  }
  return token;
}
