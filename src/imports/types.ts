import type { inputFormats } from "../core/enums.ts";
import type { Failure } from "../core/errors.ts";
import type { PetStatus } from "../core/pet-fields.ts";
import type { NewPet, Pet } from "../core/pet.ts";

export type InputFormat = (typeof inputFormats)[number];

/** How a file is read, as options say it: with its bytes, what an import is of. Defaults are values for rows without one. */
export interface ReadOptions {
  readonly format?: InputFormat;
  /** A label that TextDecoder knows; by default UTF-8. */
  readonly encoding?: string;
  readonly map?: readonly string[];
  readonly value?: readonly string[];
  readonly ignoreFields?: boolean;
  readonly header?: boolean;
  readonly skipLines?: number;
  readonly items?: string;
  readonly name?: string;
  readonly category?: bigint;
  readonly status?: PetStatus;
}

export interface Row {
  /** The number of the row among all, valid or not, from 0. */
  readonly index: number;
  /** The line on which it begins, from 1, including a CSV header; in a JSON array its position, from 1. */
  readonly line: number;
  readonly pet: NewPet;
  /** What identifies the animal (`--key`), if anything does. */
  readonly key?: string;
}

/** Flags that would help, each with its value. */
export type Flags = readonly (readonly string[])[];

export interface InvalidRow {
  readonly line: number;
  /** The line of the file, if `line` is a position in an array. */
  readonly textLine?: number;
  readonly field?: string;
  /** What is wrong, and what is allowed. It may quote the input, so escape it before printing. */
  readonly message: string;
  readonly cure?: Flags;
  /** What made the rest of the input unreadable, if it is; of a `file` the message is said with its name. */
  readonly fatal?: "header" | "content" | "file";
}

export type RowFault = Omit<InvalidRow, "line">;

export type ReadRow = Row | InvalidRow;

/** A row, valid or not, and all that the input has of it. */
export interface InputRecord {
  readonly read: ReadRow;
  /** The cells of CSV or TSV, or the JSON text. */
  readonly original: readonly string[] | string;
}

/** How an input is written; known once its first record is read. */
export interface InputShape {
  readonly delimiter?: string;
  /** The cells of the header; `#1` and so on with `--no-header`. */
  readonly columns?: readonly string[];
  readonly lineEnd: string;
  /** Whether results in its format begin with a byte-order mark. */
  readonly hasByteOrderMark: boolean;
}

/** A row that was sent, by this run or an earlier one, and how that ended. */
export type RowOutcome =
  | { readonly outcome: "added"; readonly row: Row; readonly pet: Pet }
  | { readonly outcome: "rejected" | "unknown"; readonly row: Row; readonly failure: Failure };

/**
 * The recorded state of a row. `sent` is a send without a recorded outcome; `known` and `changed` rows are not
 * sent because another import added one like it, or may have.
 */
export type RowState =
  | "unsent"
  | "sent"
  | "added"
  | "rejected"
  | "unknown"
  | "known"
  | "changed"
  | "invalid";

/** How many rows an import has, and how many of them are in each state. */
export type RowCounts = Readonly<Record<"rows" | RowState, number>>;
