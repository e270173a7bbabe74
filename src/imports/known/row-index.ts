import { type Fingerprints, fingerprintWords } from "./fingerprints.ts";

const empty = -1;

/**
 * Finds equal rows of an input by their fingerprints, and counts how many of each kind other runs
 * added. A hash table with open addressing, in 10 bytes per row, however many rows those runs have.
 */
export class RowIndex {
  readonly #rows: Fingerprints;
  /** The first row of each kind. */
  readonly #table: Int32Array<ArrayBuffer>;
  /** How many of the row's kind were counted; only at the first of each kind. */
  readonly #counts: Uint32Array<ArrayBuffer>;

  constructor(rows: Fingerprints) {
    this.#rows = rows;
    // Never full, so that a search ends.
    this.#table = new Int32Array(Math.ceil(rows.length * 1.5) + 1).fill(empty);
    this.#counts = new Uint32Array(rows.length);
    for (let row = 0; row < rows.length; row += 1) {
      const slot = this.#slotOf(rows, row);
      if (this.#table[slot] === empty) this.#table[slot] = row;
    }
  }

  /** Forgets what was counted. */
  clear(): void {
    this.#counts.fill(0);
  }

  /** Frees its memory at once, without waiting for V8; it may not be used after that. */
  release(): void {
    for (const { buffer } of [this.#table, this.#counts]) buffer.transfer(0);
  }

  /** Counts a row of another input; returns whether the input has an equal one. */
  count(fingerprints: WordSource, row: number): boolean {
    const first = this.#firstLike(fingerprints, row);
    if (first === empty) return false;
    this.#counts[first] = (this.#counts[first] ?? 0) + 1;
    return true;
  }

  /** Returns how many counted rows equal a row of the input. */
  countOf(row: number): number {
    return this.#counts[this.#firstLike(this.#rows, row)] ?? 0;
  }

  /** Removes one counted row that equals a row of the input; returns whether there was one. */
  take(row: number): boolean {
    const first = this.#firstLike(this.#rows, row);
    const count = this.#counts[first] ?? 0;
    if (count > 0) this.#counts[first] = count - 1;
    return count > 0;
  }

  #firstLike(fingerprints: WordSource, row: number): number {
    return this.#table[this.#slotOf(fingerprints, row)] ?? empty;
  }

  /** Returns the slot with the first row of the same kind, or the free one where it belongs. */
  #slotOf(fingerprints: WordSource, row: number): number {
    const size = this.#table.length;
    let slot = (fingerprints.word(row, 0) >>> 0) % size;
    for (;;) {
      const first = this.#table[slot] ?? empty;
      if (first === empty || this.#isEqual(first, fingerprints, row)) return slot;
      slot = (slot + 1) % size;
    }
  }

  #isEqual(own: number, fingerprints: WordSource, row: number): boolean {
    for (let index = 0; index < fingerprintWords; index += 1)
      if (this.#rows.word(own, index) !== fingerprints.word(row, index)) return false;
    return true;
  }
}

/** Where fingerprints are read from. */
export interface WordSource {
  word(row: number, index: number): number;
}
