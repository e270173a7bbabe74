/** Runs asynchronous steps one after the other, in the order in which they came. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Runs `step` once all earlier ones have ended, and returns what it returns. */
  run<T>(step: () => Promise<T>): Promise<T> {
    this.#length += 1;
    const own = this.#last.then(step).finally(() => (this.#length -= 1));
    this.#last = own.catch(() => {});
    return own;
  }
}

/** Counts the requests in flight, and signals when one of them has ended. */
export class InFlight {
  #count = 0;
  #completion: PromiseWithResolvers<void> | undefined;

  get count(): number {
    return this.#count;
  }

  add(): void {
    this.#count += 1;
  }

  remove(): void {
    this.#count -= 1;
    this.#completion?.resolve();
    this.#completion = undefined;
  }

  /** Resolves when the next request in flight has ended. */
  nextCompletion(): Promise<void> {
    this.#completion ??= Promise.withResolvers<void>();
    return this.#completion.promise;
  }
}
