/** The engine's books do not balance: a fault of this program, never of a request. */
export class IntegrityError extends Error {
  override readonly name = "IntegrityError";
}

/** Throws IntegrityError where what must hold does not; `what` says what is wrong. */
export function mustHold(holds: boolean, what: () => string): void {
  if (!holds) throw new IntegrityError(what());
}
