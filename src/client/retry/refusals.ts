/**
 * Counts how often in a row the requests of one client were refused (429). Those that were on their
 * way when one was refused knew nothing of that: together they are one time.
 */
export class RefusalCounter {
  #inRow = 0;

  /** How many there were; who sends a request remembers it as what was `known`. */
  get consecutive(): number {
    return this.#inRow;
  }

  /** A request that was sent when so many were `known` was answered: refused, or not. */
  record(known: number, isRefused: boolean): void {
    // A late answer tells nothing of what came after its request was sent.
    if (known === this.#inRow) this.#inRow = isRefused ? known + 1 : 0;
  }
}
