import type { NewPet, Pet } from "../core/pet.ts";
import type { Failure } from "../core/errors.ts";
import type { inputFormats } from "../core/enums.ts";

/** How the animals of an input are written. */
export type InputFormat = (typeof inputFormats)[number];

/** An animal of the input. */
export interface Row {
  /** Which row it is, from 0. */
  readonly index: number;
  /** Where it begins in the file, from 1, a CSV header counted; in a JSON array its place, from 1. */
  readonly line: number;
  readonly pet: NewPet;
}

/** A part of the input that is no animal. */
export interface InvalidRow {
  readonly line: number;
  readonly field?: string;
  /** What is wrong, and what is allowed. It may quote the input: whoever prints it escapes it. */
  readonly message: string;
}

/** What a reader makes of a row. */
export type ReadRow = Row | InvalidRow;

/** A row that was sent, and how that ended (contract.md, Bulk, Outcomes); or one of an earlier run of which that is not known. */
export type RowOutcome =
  | { readonly outcome: "added"; readonly row: Row; readonly pet: Pet }
  | { readonly outcome: "rejected" | "unknown"; readonly row: Row; readonly failure: Failure };

/** What is known of a row from its journal: `open` is one that was begun and never ended. */
export type RowState = "unsent" | "open" | "added" | "rejected" | "unknown";

/** How many rows ended in each way; `earlier` those that earlier runs added. */
export interface RunTotals {
  readonly rows: number;
  readonly added: number;
  readonly rejected: number;
  readonly unknown: number;
  readonly notSent: number;
  readonly earlier: number;
}
