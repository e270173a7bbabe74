/** Marks a file as ours (https://sqlite.org/fileformat2.html, 1.3.13): "pets". */
export const applicationId = 0x70657473;
export const [upgradedVersion, schemaVersion] = [5, 6];

// A row is `unsent`, `sent`, `added`, `rejected`, `invalid` or `repeated`; one that was sent by a process that is gone may
// have been added. All rows of an input are there before the first is sent. `prints` and `keys` are their indexes by fingerprints:
// SQLite would fill its own in the order of the rows, which takes five times as long. An import whose rows are being
// inserted or removed is not `isReady`. `starts` counts how often one began or went on.
const addedInVersion6 = (kind: "TABLE" | "TEMP TABLE"): string => `CREATE ${kind} covers (
  import INTEGER NOT NULL,
  number INTEGER NOT NULL,
  byImport INTEGER NOT NULL,
  byNumber INTEGER NOT NULL,
  isChanged INTEGER NOT NULL,
  PRIMARY KEY (import, number),
  UNIQUE (import, byImport, byNumber)
) STRICT, WITHOUT ROWID;`;
export const schema = `
CREATE TABLE imports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  input TEXT NOT NULL,
  name TEXT NOT NULL,
  address TEXT NOT NULL,
  host TEXT NOT NULL,
  store TEXT,
  started INTEGER NOT NULL,
  active INTEGER NOT NULL,
  boot TEXT NOT NULL DEFAULT '',
  sentAt INTEGER NOT NULL DEFAULT 0,
  isReady INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX imports_by_input ON imports(input);
CREATE TABLE rows (
  import INTEGER NOT NULL,
  number INTEGER NOT NULL,
  line INTEGER NOT NULL,
  status TEXT NOT NULL,
  state TEXT NOT NULL,
  id INTEGER,
  code TEXT,
  error TEXT,
  PRIMARY KEY (import, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE prints (
  print BLOB NOT NULL,
  import INTEGER NOT NULL,
  number INTEGER NOT NULL,
  key BLOB,
  PRIMARY KEY (print, import, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE keys (
  key BLOB NOT NULL,
  import INTEGER NOT NULL,
  number INTEGER NOT NULL,
  print BLOB NOT NULL,
  PRIMARY KEY (key, import, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE starts (count INTEGER NOT NULL) STRICT;
INSERT INTO starts VALUES (0);
${addedInVersion6("TABLE")}
PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${schemaVersion};
`;

// What version 5 has in place of covers: the state of a row that was left out, with the id of the animal if it was added.
const coversOfVersion5 = `INSERT OR IGNORE INTO covers
  SELECT r.import, r.number, e.import, e.number, r.state = 'changed' FROM main.rows r JOIN main.imports i ON i.id = r.import
  JOIN main.rows e ON e.id = r.id AND e.state = 'added' JOIN main.imports o ON o.id = e.import
  WHERE r.state IN ('known', 'changed') AND coalesce(o.store = i.store, o.address = i.address)`;
const stateOfVersion5 =
  "CASE state WHEN 'unknown' THEN 'sent' WHEN 'known' THEN 'unsent' WHEN 'changed' THEN 'unsent' ELSE state END";
const droppedColumns =
  "unsent, rows, isAgain, sent, added, rejected, unknown, known, changed, invalid".split(", ");
export const upgrade = `${addedInVersion6("TABLE")} ${coversOfVersion5};
UPDATE rows SET state = ${stateOfVersion5}, id = iif(state = 'added', id, NULL) WHERE state IN ('unknown', 'known', 'changed');
${droppedColumns.map((column) => `ALTER TABLE imports DROP COLUMN ${column};`).join(" ")}
ALTER TABLE imports ADD COLUMN boot TEXT NOT NULL DEFAULT '';
ALTER TABLE imports ADD COLUMN sentAt INTEGER NOT NULL DEFAULT 0;
PRAGMA user_version = ${schemaVersion}`;
/** Shows a record of version 5 that may not be written as one of this version. */
export const upgradeView = `${addedInVersion6("TEMP TABLE")} ${coversOfVersion5};
CREATE TEMP VIEW imports AS SELECT *, '' AS boot, 0 AS sentAt FROM main.imports;
CREATE TEMP VIEW rows AS SELECT import, number, line, status, ${stateOfVersion5} AS state,
  iif(state = 'added', id, NULL) AS id, code, error FROM main.rows`;
/**
 * Joins to each row what covers it: that is known, changed or unknown as the row is now that stands for it. While a process
 * works on an import (`findRunning`), nobody else says how its rows end.
 */
export const outcomesView = `CREATE TEMP TABLE running (import INTEGER PRIMARY KEY);
CREATE TEMP VIEW outcomes AS SELECT r.import, r.number, r.line, r.state, c.byImport, r.code, r.error,
  iif(r.state = 'unsent', e.id, r.id) AS id,
  CASE WHEN r.state = 'sent' THEN iif(r.import IN running, 'waiting', 'unknown')
    WHEN r.state <> 'unsent' OR c.number IS NULL THEN r.state
    WHEN e.state = 'added' THEN iif(c.isChanged, 'changed', 'known')
    WHEN e.state IN ('sent', 'unsent') AND e.import IN running THEN 'waiting'
    WHEN e.state = 'sent' THEN 'unknown' ELSE 'unsent' END AS outcome
  FROM rows r LEFT JOIN covers c ON c.import = r.import AND c.number = r.number
  LEFT JOIN rows e ON e.import = c.byImport AND e.number = c.byNumber`;
