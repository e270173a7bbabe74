/** Marks a file as ours (https://sqlite.org/fileformat2.html, 1.3.13): "pets". */
export const applicationId = 0x70657473;
/** The version of the tables, kept as `user_version`. */
export const schemaVersion = 3;

/**
 * The tables of `imports.db`. A row of an input is in `rows` from its first send on, or once it is left out;
 * `accepted` has how it was known when it was to be sent nevertheless. `prints` has a hash of the name and
 * category of each row, sorted, so that a row is known again: it is filled before the first send (`isPrepared`),
 * as one entry at a time would change a page of it for each row. `lines` has the line of a row minus its number,
 * wherever that differs from the row before.
 */
export const schema = `
CREATE TABLE imports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  input TEXT NOT NULL,
  name TEXT NOT NULL,
  address TEXT NOT NULL,
  host TEXT NOT NULL,
  store TEXT,
  rows INTEGER NOT NULL,
  started INTEGER NOT NULL,
  active INTEGER NOT NULL,
  isPrepared INTEGER NOT NULL DEFAULT 0,
  isFinished INTEGER NOT NULL DEFAULT 0,
  isAgain INTEGER NOT NULL,
  sent INTEGER NOT NULL DEFAULT 0,
  added INTEGER NOT NULL DEFAULT 0,
  rejected INTEGER NOT NULL DEFAULT 0,
  unknown INTEGER NOT NULL DEFAULT 0,
  known INTEGER NOT NULL DEFAULT 0,
  changed INTEGER NOT NULL DEFAULT 0,
  invalid INTEGER NOT NULL DEFAULT 0,
  unsent INTEGER AS (rows - sent - added - rejected - unknown - known - changed - invalid)
) STRICT;
CREATE INDEX imports_by_input ON imports(input);
CREATE TABLE rows (
  import INTEGER NOT NULL,
  number INTEGER NOT NULL,
  state TEXT NOT NULL,
  accepted TEXT,
  id INTEGER,
  code TEXT,
  error TEXT,
  PRIMARY KEY (import, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE prints (
  print BLOB NOT NULL,
  import INTEGER NOT NULL,
  number INTEGER NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (print, import, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE lines (
  import INTEGER NOT NULL,
  number INTEGER NOT NULL,
  "offset" INTEGER NOT NULL,
  PRIMARY KEY (import, number)
) STRICT, WITHOUT ROWID;
PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${schemaVersion};
`;
