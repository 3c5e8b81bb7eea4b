/** Requests to the server that the page came from, with the key where one was typed. */

const KEY = "warmturn-key";

export function keyNow(): string {
  return sessionStorage.getItem(KEY) ?? "";
}

/** Kept until the tab is closed. */
export function useKey(key: string): void {
  if (key === "") sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, key);
}

/** `message` is the server's own sentence. */
export class ServerError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Relative to the page, so that it works below a path as well. Throws ServerError. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const key = keyNow();
  const headers = new Headers(init.headers);
  if (key !== "") headers.set("authorization", `Bearer ${key}`);
  const response = await fetch(path, { ...init, headers });
  if (response.ok) return response;
  throw new ServerError(response.status, messageIn(await response.text(), response.status));
}

function messageIn(text: string, status: number): string {
  try {
    return JSON.parse(text).error.message;
  } catch {
    return `The server answered ${status}.`;
  }
}
