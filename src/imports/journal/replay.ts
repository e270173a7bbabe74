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

/** The expected journal: its file, for messages, and the content of its first record. */
export interface JournalIdentity {
  readonly file: string;
  readonly name: string;
  /** Undefined if the number of rows is unknown. */
  readonly rows?: number;
}

/** The state after all records of a journal. */
export interface Replayed {
  readonly rows: RowStates;
  /** A hash of the API key that the run was started with. */
  readonly key: string;
  readonly isFinished: boolean;
  /** The id of the store that the rows were sent to, if it sent one. */
  readonly storeId: string | undefined;
  /** The states of the rows at the end of each earlier round, before the input was sent again. */
  readonly earlierRounds: readonly RowStates[];
  /** The number of bytes up to the end of the last complete record, and its CRC. */
  readonly length: number;
  readonly crc: number;
  /** Whether the line end of that record was cut off. */
  readonly missingNewline: boolean;
}

const lineEnd = 0x0a;

/**
 * Replays a journal chunk by chunk, in one byte of memory per row. A record that is cut off at the
 * end is ignored, and so are zeros in its place (after a power loss a file may have grown without its
 * content). Throws a usage Failure that names the file for any other damage.
 */
export class Replay {
  readonly #expected: JournalIdentity;
  #rows: RowStates | undefined;
  #key = "";
  #isFinished = false;
  #storeId: string | undefined;
  readonly #earlierRounds: RowStates[] = [];
  readonly #onAdded: (row: number, id: bigint) => void;
  #length = 0;
  #crc = 0;
  #line = 1;
  /** The beginning of an unfinished line. */
  #rest = "";
  #inZeroPadding = false;

  /** `onAdded` is called with the id of each animal. */
  constructor(expected: JournalIdentity, onAdded: (row: number, id: bigint) => void = () => {}) {
    this.#expected = expected;
    this.#onAdded = onAdded;
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

  /** Returns the state after all records; undefined if not even the first is complete. */
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
      storeId: this.#storeId,
      earlierRounds: this.#earlierRounds,
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
      this.#earlierRounds.push(this.#rows);
      this.#rows = new RowStates(this.#rows.length);
      this.#key = record.key;
      this.#isFinished = false;
    } else if (record.kind === "finished") this.#isFinished = true;
    else if (record.kind === "store") this.#storeId = record.id;
    else {
      this.#isFinished = false;
      if (!applyRecord(this.#rows, record)) throw this.#damage();
      if ("id" in record) this.#onAdded(record.row, record.id);
    }
  }

  #begin({ rows, name, key }: ReadRecord & { readonly kind: "begin" }): void {
    const { file, ...expected } = this.#expected;
    if (this.#rows !== undefined) throw this.#damage();
    if (rows !== (expected.rows ?? rows) || name !== expected.name) throw journalMismatch(file);
    this.#rows = new RowStates(rows);
    this.#key = key;
  }

  #damage(text = ""): Failure {
    const { file } = this.#expected;
    const version = this.#rows === undefined ? otherVersion(text) : undefined;
    return version === undefined ? journalCorrupt(file, this.#line) : journalTooNew(file, version);
  }
}

type RowRecord = Extract<ReadRecord, { readonly row: number }>;

function applyRecord(rows: RowStates, record: RowRecord): boolean {
  return "count" in record
    ? rows.mark(record.row, record.count, record.kind)
    : rows.apply(record.row, record.kind);
}
