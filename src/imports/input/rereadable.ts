/** Values that are taken one after the other, and can be put back. */
export class Rereadable<Value> {
  readonly #rest: Iterator<Value>;
  /** Those to take again, the next one last. */
  readonly #again: Value[] = [];

  constructor(values: Iterable<Value>) {
    this.#rest = values[Symbol.iterator]();
  }

  next(): Value | undefined {
    const again = this.#again.pop();
    if (again !== undefined) return again;
    const { value, done } = this.#rest.next();
    return done === true ? undefined : value;
  }

  /** Takes the next values: at most `max`, and none after those that are `maxLength` long together. */
  take(max: number, maxLength: number, lengthOf: (value: Value) => number): readonly Value[] {
    const taken: Value[] = [];
    for (let length = 0; taken.length < max && length < maxLength;) {
      const value = this.next();
      if (value === undefined) break;
      taken.push(value);
      length += lengthOf(value);
    }
    return taken;
  }

  /** Puts values back before those that are left. */
  putBack(values: readonly Value[]): void {
    for (const value of values.toReversed()) this.#again.push(value);
  }

  *[Symbol.iterator](): Generator<Value> {
    for (let value = this.next(); value !== undefined; value = this.next()) yield value;
  }
}
