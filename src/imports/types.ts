import type { inputFormats } from "../core/enums.ts";
import type { Failure } from "../core/errors.ts";
import type { RowPlace } from "../core/format.ts";
import type { NewPetField, PetStatus } from "../core/pet-fields.ts";
import type { NewPet, Pet } from "../core/pet.ts";

export type InputFormat = (typeof inputFormats)[number];

/** How a file is read, as options say it: with its bytes, what an import is of. Defaults are values for rows without one. */
export interface ReadOptions {
  readonly format?: InputFormat;
  /** A label that TextDecoder knows; by default UTF-8. */
  readonly encoding?: string;
  readonly map?: readonly string[];
  /** The column or path that identifies an animal. */
  readonly key?: string;
  /** Which of the rows with one key counts; without it the later ones are invalid. */
  readonly repeats?: "first" | "last";
  readonly value?: readonly string[];
  readonly ignoreFields?: boolean;
  readonly header?: boolean;
  readonly skipLines?: number;
  readonly items?: string;
  readonly sheet?: string;
  readonly name?: string;
  readonly category?: bigint;
  readonly status?: PetStatus;
}

/** A row; in a JSON array its line is its position, from 1. */
export interface Row extends RowPlace {
  /** The number of the row among all, valid or not, from 0. */
  readonly index: number;
  readonly pet: NewPet;
  /** What identifies the animal (`--key`); blank or undefined if nothing does. */
  readonly key?: string | undefined;
}

/** Flags that would help, each with its value. */
export type Flags = readonly (readonly string[])[];

/** What is wrong with an input as a text, and the flags that cure it. */
export interface TextFault {
  readonly message: string;
  readonly cure?: Flags;
  /** The line of the file, if that of the row is its place in JSON. */
  readonly textLine?: number | undefined;
  /** Whether its bytes are not of the encoding: another one may fit. */
  readonly isEncoding?: boolean;
  /** What made the rest of the input unreadable, if it is; of a `file` the message is said with its name. */
  readonly fatal?: "header" | "content" | "file";
}

/** A column, or a path into a JSON object, as typed behind a flag. */
export interface Path {
  readonly flag: "--map" | "--key";
  readonly name: string;
  /** The field that `--map` reads from it. */
  readonly field?: NewPetField;
  /** Whether a JSON value has had it. */
  isFound: boolean;
}

export type Cells = readonly string[];

export interface Column {
  /** As `--map` names it: its title, with `#` and its place from 1 if that comes twice, or its place alone. */
  readonly name: string;
  /** What the first row has of it. */
  readonly title: string;
  readonly field: NewPetField | undefined;
  /** Whether it may have values without a field: not if it has no name. */
  readonly isIgnored: boolean;
  readonly isKey: boolean;
}

/** What the first row of a table says, by the options so far. */
export interface Header {
  readonly columns: readonly Column[];
  /** The columns that are for no field, and those of them that are refused. */
  readonly others: readonly string[];
  readonly unknown: readonly string[];
  /** The fields without a column or a default, optional ones too. */
  readonly missing: readonly NewPetField[];
  /** The columns of `--map` and `--key` that are not there. */
  readonly absent: readonly Path[];
  /** The columns that are for one field. */
  readonly repeated: readonly string[];
  /** Whether it has no known column, and is data, may be data, is a header of CSV read as TSV, or looks like one column. */
  readonly kind: "header" | "data" | "unsure" | "quoted" | "single";
}

/** A header that is not understood, and what is around it. */
export interface HeaderFacts extends Header {
  /** The row itself and the next ones. */
  readonly sample: readonly Cells[];
  /** How many lines of titles come before it. */
  readonly titleLines: number;
  /** What the rows have in the columns, and where the rows are that look like headings or totals. */
  readonly survey: readonly ColumnFacts[];
  readonly headings: readonly RowPlace[];
}

/** A text of a field or a column, as it is first written, or `*` for all others, and how many rows have it. */
export interface Word {
  readonly text: string;
  count: number;
}

/** What an input has in a column, or at a path of JSON, whose field is not known yet. */
export interface ColumnFacts {
  /** As `--map` names it. */
  readonly name: string;
  readonly title: string;
  readonly field?: NewPetField | undefined;
  /** How many rows have a value in it, and where the first one is. */
  count: number;
  readonly place: Pick<InvalidRow, "line" | "textLine">;
  /** Whether it holds arrays of what has names: the animals of an owner. */
  holdsRows?: true;
  /** The first values. */
  readonly sample: string[];
  /** Its texts, by themselves without regard to case. */
  readonly words: Map<string, Word>;
}

/** What is wrong with the fields of a row: paths that no animal has, fields without a value, and wrong values. */
export interface RowFacts {
  readonly unknown: ReadonlyMap<string, unknown>;
  readonly missing: readonly NewPetField[];
  readonly wrong: ReadonlyMap<NewPetField, unknown>;
  /** The name of the animal, if that is right. */
  readonly name?: string | undefined;
  /** Whether it has text in one column alone, as a heading or a total has. */
  readonly isLone?: true;
}

export type Fault = TextFault | HeaderFacts | RowFacts;

/** An invalid row: its message may quote the input, so escape it before printing. */
export interface InvalidRow extends TextFault, RowPlace {
  readonly field?: string;
  readonly fault: Fault;
  readonly key?: string | undefined;
}

export type ReadRow = Row | InvalidRow;

/** A row, valid or not, and all that the input has of it. */
export interface InputRecord {
  readonly read: ReadRow;
  /** The cells of a table, or the JSON text. */
  readonly original: Cells | string;
  /** Which cells are quoted, if any is. */
  readonly quoted?: readonly boolean[] | undefined;
}

/** A row of a table: of CSV, TSV, a sheet, or an array of arrays. */
export interface TableRecord extends RowPlace {
  readonly cells: string[];
  /** Which cells are quoted, if any is: they are what they say. */
  readonly quoted?: readonly boolean[] | undefined;
  /** What ends its line. */
  readonly end?: string;
  /** The line of the file, if that of the row is its place in JSON. */
  readonly textLine?: number | undefined;
  readonly fault?: TextFault;
}

/** Where rows may be in JSON, as `--items` takes it, how many, and how the first one begins. */
export interface FoundItems {
  readonly items: string;
  readonly rows: number;
  readonly first: string;
}

/** An encoding that a text may be in: a label that TextDecoder knows, and a word of the text as it reads in it. */
export interface Reading {
  readonly label: string;
  readonly word: string;
}

/** How an input is written; known once its first record is read. */
export interface InputShape {
  readonly delimiter?: string;
  /** The cells of the header; `#1` and so on with `--no-header`. */
  readonly columns?: readonly string[];
  readonly lineEnd: string;
  readonly hasByteOrderMark: boolean;
}

/** A row that was sent, by this run or an earlier one, and how that ended. */
export type RowOutcome =
  | { readonly outcome: "added"; readonly row: Row; readonly pet: Pet }
  | { readonly outcome: "rejected" | "unknown"; readonly row: Row; readonly failure: Failure };

/** The recorded state of a row. One that is `sent`, and that no process works on, may have been added. */
export type RowState = "unsent" | "sent" | "added" | "rejected" | "invalid" | "repeated";

/**
 * What became of a row, by what is recorded now of it and of the earlier row that stands for it: `known` and `changed` rows
 * were added by another import, `waiting` ones are left to it; of a `repeated` one another row of the input has the key.
 */
export type Outcome = Exclude<RowState, "sent"> | "unknown" | "known" | "changed" | "waiting";

/** How many rows an import has, and how many of them ended in each way. */
export type RowCounts = Record<"rows" | Outcome, number>;
