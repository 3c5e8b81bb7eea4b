/** Header names that say which conversation a request belongs to; hints that break ties, never more. */
const SESSION_HEADERS = ["x-session-id", "session-id", "x-claude-code-session-id"] as const;

/** The first that is there, or "". */
export function sessionHint(headers: Headers): string {
  return SESSION_HEADERS.map((name) => headers.get(name) ?? "").find((id) => id !== "") ?? "";
}
