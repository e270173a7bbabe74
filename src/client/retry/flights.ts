/** Counts what is on its way, and tells when any of it has ended. */
export class InFlight {
  #count = 0;
  #landing: PromiseWithResolvers<void> | undefined;

  get count(): number {
    return this.#count;
  }

  /** Something is on its way. */
  add(): void {
    this.#count += 1;
  }

  /** Something of it has ended. */
  remove(): void {
    this.#count -= 1;
    this.#landing?.resolve();
    this.#landing = undefined;
  }

  /** Resolves when the next of those on their way has ended. */
  nextCompletion(): Promise<void> {
    this.#landing ??= Promise.withResolvers<void>();
    return this.#landing.promise;
  }
}
