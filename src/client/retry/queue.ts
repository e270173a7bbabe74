/** Lets one after the other in, in the order in which they came. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;

  /** Whether nobody is in it. */
  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Does `step` once all who came before have done theirs, and answers what it does. */
  run<T>(step: () => Promise<T>): Promise<T> {
    this.#length += 1;
    const own = this.#last.then(step).finally(() => (this.#length -= 1));
    this.#last = own.catch(() => {});
    return own;
  }
}
