/** What happened to a server that ended by itself, in words for its log. */

/** How a process ended: one of the two is null. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

const SIGNALS: Readonly<Record<string, string>> = {
  SIGSEGV: "it used memory that is not its own",
  SIGBUS:
    "a mapped file could not be read: was the model's file cut or replaced, or is its disk gone? --no-mmap reads it whole",
  SIGABRT: "llama.cpp or the runtime gave up",
  SIGILL: "it came to an instruction that this processor does not have",
  SIGFPE: "it divided by zero",
  SIGTRAP: "the runtime gave up",
  SIGSYS: "it made a system call that is not allowed here",
  SIGKILL: "somebody killed it, or the system was out of memory",
};

/** One clause, without a full stop. */
export function crashClause({ code, signal }: ProcessEnd): string {
  if (signal === null) return `The server ended with exit code ${code ?? "unknown"}`;
  const meaning = SIGNALS[signal];
  return `The server was ended by ${signal}${meaning === undefined ? "" : `: ${meaning}`}`;
}
