/** Text that comes in pieces, as one JSON string: put together, the pieces are what writing it whole gives. */
export class JsonTextWriter {
  readonly #emit: (json: string) => void;
  /** The first half of a pair: alone it would be written as an escape. */
  #half = "";

  constructor(emit: (json: string) => void) {
    this.#emit = emit;
    emit('"');
  }

  push(text: string): void {
    const all = this.#half + text;
    const last = all.charCodeAt(all.length - 1);
    this.#half = last >= 0xd800 && last <= 0xdbff ? all.slice(-1) : "";
    this.#emit(JSON.stringify(all.slice(0, all.length - this.#half.length)).slice(1, -1));
  }

  end(): void {
    this.#emit(`${JSON.stringify(this.#half).slice(1, -1)}"`);
  }
}
