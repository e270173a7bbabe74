import type { RowState } from "../types.ts";

/** Marks a file as ours (https://sqlite.org/fileformat2.html, 1.3.13): "pets". */
export const applicationId = 0x70657473;
/** The version of the tables, kept as `user_version`. */
export const schemaVersion = 1;

/**
 * The tables of `imports.db`. A row of an input is in `rows` from its first send on, or once it is left out.
 * `prints` has a hash of the name and category of each row, sorted, so that a row is known again: it is filled
 * before the first send (`prepared`), as one entry at a time would change a page of it for each row.
 * `lines` has the line of a row minus its number, wherever that differs from the row before.
 */
export const schema = `
CREATE TABLE imports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  input TEXT NOT NULL,
  name TEXT NOT NULL,
  address TEXT NOT NULL,
  host TEXT NOT NULL,
  store TEXT,
  key TEXT NOT NULL,
  rows INTEGER NOT NULL,
  started INTEGER NOT NULL,
  active INTEGER NOT NULL,
  prepared INTEGER NOT NULL DEFAULT 0,
  finished INTEGER NOT NULL DEFAULT 0,
  again INTEGER NOT NULL DEFAULT 0,
  sent INTEGER NOT NULL DEFAULT 0,
  added INTEGER NOT NULL DEFAULT 0,
  rejected INTEGER NOT NULL DEFAULT 0,
  unknown INTEGER NOT NULL DEFAULT 0,
  known INTEGER NOT NULL DEFAULT 0,
  changed INTEGER NOT NULL DEFAULT 0,
  invalid INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX imports_by_input ON imports(input);
CREATE TABLE rows (
  import INTEGER NOT NULL,
  number INTEGER NOT NULL,
  state INTEGER NOT NULL,
  accepted INTEGER,
  id INTEGER,
  code TEXT,
  error TEXT,
  PRIMARY KEY (import, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE prints (
  print BLOB NOT NULL,
  import INTEGER NOT NULL,
  number INTEGER NOT NULL,
  status INTEGER NOT NULL,
  PRIMARY KEY (print, import, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE lines (
  import INTEGER NOT NULL,
  number INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  PRIMARY KEY (import, number)
) STRICT, WITHOUT ROWID;
PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${schemaVersion};
`;

/** The states of a row by the numbers that stand for them in `rows.state`. */
const stateNames = [
  "unsent",
  "sent",
  "added",
  "rejected",
  "unknown",
  "known",
  "changed",
  "invalid",
  "resent",
] as const satisfies readonly RowState[];

/** Returns the number that stands for a state. */
export function stateCode(state: RowState): number {
  return stateNames.indexOf(state);
}

/** Returns the state that a number stands for. */
export function stateOf(code: unknown): RowState {
  return stateNames[Number(code)] ?? "unsent";
}

/** How many rows are in each state. */
export type RowCounts = Readonly<Record<RowState, number>>;

/** The states whose rows were sent, and may have been added. */
export const maybeAdded = ["sent", "added", "unknown", "resent"] as const;

/** Returns the numbers of states as a list for SQL. */
export const codesOf = (states: readonly RowState[]): string => states.map(stateCode).join(", ");
