import type { Failure } from "../../core/errors.ts";
import { journalCorrupt, journalMismatch, journalTooNew } from "./errors.ts";
import {
  isTruncatedRecord,
  maxLineLength,
  otherVersion,
  parseRecord,
  type ReadRecord,
} from "./codec.ts";
import { RowStates } from "./row-states.ts";

/** Which journal is expected: its file, for messages, and what its first record has to say. */
export interface JournalIdentity {
  readonly file: string;
  readonly name: string;
  readonly rows: number;
}

/** What a journal comes to. */
export interface Replayed {
  readonly rows: RowStates;
  /** A hash of the key that the run was begun with. */
  readonly key: string;
  readonly isFinished: boolean;
  /** Of the last whole record: how many bytes there are up to its end, and its CRC. */
  readonly length: number;
  readonly crc: number;
  /** Whether the line end of that record is not among them, since it was cut off. */
  readonly missingNewline: boolean;
}

const lineEnd = 0x0a;

/**
 * Takes in a journal, chunk by chunk, in the memory that a byte a row takes. Where a record was cut
 * off at the end, or zeros stand there in its place (a file may have grown before a power loss, and
 * its content not be written), what is before it counts. Throws a usage Failure that names the file
 * at any other damage.
 */
export class Replay {
  readonly #expected: JournalIdentity;
  #rows: RowStates | undefined;
  #key = "";
  #isFinished = false;
  #length = 0;
  #crc = 0;
  #line = 1;
  /** What was read of a line whose end is still to come. */
  #rest = "";
  #inZeroPadding = false;

  constructor(expected: JournalIdentity) {
    this.#expected = expected;
  }

  feed(chunk: Buffer): void {
    const zero = this.#inZeroPadding ? 0 : chunk.indexOf(0);
    const text = zero < 0 ? chunk : chunk.subarray(0, zero);
    let start = 0;
    for (let end = text.indexOf(lineEnd); end >= 0; end = text.indexOf(lineEnd, start)) {
      this.#takeLine(this.#rest + text.toString("latin1", start, end));
      this.#rest = "";
      start = end + 1;
    }
    this.#rest += text.toString("latin1", start, Math.min(text.length, start + maxLineLength + 1));
    if (this.#rest.length > maxLineLength) throw this.#damage(this.#rest);
    if (zero >= 0) this.#takeZeros(chunk.subarray(zero));
  }

  /** What it all comes to; undefined where not even the first record is whole. */
  end(): Replayed | undefined {
    const rest = this.#rest;
    const isWhole = rest !== "" && parseRecord(rest, this.#crc) !== undefined;
    if (isWhole) this.#takeLine(rest);
    else if (!isTruncatedRecord(rest, this.#rows === undefined)) throw this.#damage(rest);
    if (this.#rows === undefined) return undefined;
    return {
      rows: this.#rows,
      key: this.#key,
      isFinished: this.#isFinished,
      length: isWhole ? this.#length - 1 : this.#length,
      crc: this.#crc,
      missingNewline: isWhole,
    };
  }

  #takeZeros(chunk: Buffer): void {
    this.#inZeroPadding = true;
    if (!chunk.every((byte) => byte === 0)) throw this.#damage();
  }

  #takeLine(text: string): void {
    const parsed = parseRecord(text, this.#crc);
    if (parsed === undefined) throw this.#damage(text);
    this.#takeRecord(parsed.record);
    this.#crc = parsed.crc;
    this.#length += text.length + 1;
    this.#line += 1;
  }

  #takeRecord(record: ReadRecord): void {
    if (record.kind === "begin") this.#begin(record);
    else if (this.#rows === undefined) throw this.#damage();
    else if (record.kind === "again") {
      this.#rows.clear();
      this.#key = record.key;
      this.#isFinished = false;
    } else if (record.kind === "finished") this.#isFinished = true;
    else {
      this.#isFinished = false;
      if (!this.#rows.apply(record.row, record.kind)) throw this.#damage();
    }
  }

  #begin({ rows, name, key }: ReadRecord & { readonly kind: "begin" }): void {
    const { file, ...expected } = this.#expected;
    if (this.#rows !== undefined) throw this.#damage();
    if (rows !== expected.rows || name !== expected.name) throw journalMismatch(file);
    this.#rows = new RowStates(rows);
    this.#key = key;
  }

  #damage(text = ""): Failure {
    const { file } = this.#expected;
    const told = this.#rows === undefined ? otherVersion(text) : undefined;
    return told === undefined ? journalCorrupt(file, this.#line) : journalTooNew(file, told);
  }
}
