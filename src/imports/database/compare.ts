import type { Outcome } from "../types.ts";
import type { ImportDatabase } from "./database.ts";
import { type ImportRecord, stepRows } from "./import-records.ts";

/** What other imports have in common with the staged input. */
export interface KnownRows {
  /** How many rows were to be sent. */
  readonly rows: number;
  /** How many of them other imports added, or may have, or will, changed ones included. */
  readonly known: number;
  /** How many have the key, or the name and category, of one that was added, and say something else. */
  readonly changed: number;
  /** How many of those that are known may have been added, or not. */
  readonly doubtful: number;
  /** How many are known that no earlier run of the input left out. */
  readonly news: number;
  /** Whether they are known by what they say, as none of the keys is known. */
  readonly hasOtherKeys?: 1;
  /** The import that has the most of them, and when it was active. */
  readonly name: string;
  readonly active: number;
}

/** The import `i` is of the store with an id, or if one of both has none, with an address: the two next values. */
export const isAtStore = "coalesce(i.store = ?, i.address = ?)";

/** Returns the same of an import that was read. */
export const isSameStore = (
  { store, address }: Pick<ImportRecord, "store" | "address">,
  at: { readonly store: string | undefined; readonly address: string },
): boolean =>
  store === null || at.store === undefined ? address === at.address : store === at.store;

/** Whether the row that stands for `covers` was added: then it stays. */
const isAdded = `EXISTS
  (SELECT 1 FROM rows e WHERE e.import = byImport AND e.number = byNumber AND e.state = 'added')`;

// In this order, each row of the input is found by the index of `prints` or of `keys`. All rows of the inputs that are
// being sent count. Its value is the import.
const earlierRows = `SELECT e.import, e.number, e.print, e.key, r.status,
    CASE WHEN r.state = 'added' THEN 0 WHEN i.id IN running THEN 2 ELSE 1 END AS doubt, CAST(r.id AS TEXT) AS id
  FROM (SELECT p.* FROM (SELECT DISTINCT print FROM input WHERE print IS NOT NULL UNION ALL SELECT old FROM respelled)
      CROSS JOIN prints p USING (print)
    UNION ALL SELECT k.print, k.import, k.number, k.key
    FROM (SELECT key FROM input WHERE print IS NOT NULL UNION ALL SELECT old FROM respelled) CROSS JOIN keys k USING (key)
    WHERE k.print NOT IN (SELECT print FROM input WHERE print IS NOT NULL) AND k.print NOT IN (SELECT old FROM respelled)) e
  CROSS JOIN imports i ON i.id = e.import CROSS JOIN rows r ON r.import = e.import AND r.number = e.number
  WHERE i.id <> ? AND i.isReady AND (r.state IN ('sent', 'added')
    OR r.state = 'unsent' AND i.id IN running AND NOT EXISTS (SELECT 1 FROM covers c WHERE c.import = r.import AND c.number = r.number))`;

/** Returns whether any import may have added any row of the staged input, to any store. */
export const hasEarlierRows = (database: ImportDatabase): boolean =>
  database.all(`${earlierRows} LIMIT 1`, 0).length > 0;

/**
 * Matches the rows that `own` has left with those that other imports added to a store, or may have, one to one, into the
 * table `found`. Returns undefined if none matches.
 */
export function compareRows(
  database: ImportDatabase,
  own: Pick<ImportRecord, "id"> | undefined,
  address: string,
  storeId?: string,
): KnownRows | undefined {
  const id = own?.id ?? 0;
  database.exec(tables);
  const isFree = `NOT EXISTS (SELECT 1 FROM covers c WHERE c.import = ? AND c.byImport = e.import AND c.byNumber = e.number
    AND r.state = 'added')`;
  const earlier = `INSERT INTO earlier ${earlierRows} AND ${isAtStore}`;
  const values = [id, storeId ?? null, address];
  const found = own
    ? database.run(`${earlier} AND ${isFree}`, ...values, id)
    : database.run(earlier, ...values);
  if (found === 0) return undefined;
  database.exec(respelling);
  database.run(takers, id, id);
  const keys = database.all(`SELECT 1 FROM earlier WHERE ${hasKey} LIMIT 1`).length;
  for (const step of matches) if (keys > 0 || !step.includes(hasKey)) database.run(step);
  const [known] = database.all<KnownRows>(
    `SELECT (SELECT count(*) FROM input WHERE print IS NOT NULL)
         - (SELECT count(*) FROM rows WHERE import = ? AND state NOT IN ('invalid', 'repeated', 'unsent'))
         - (SELECT count(*) FROM covers WHERE import = ? AND ${isAdded}) AS rows,
       sum(count(*)) OVER () AS known, sum(sum(isChanged AND doubt = 0)) OVER () AS changed,
       sum(sum(doubt > 0)) OVER () AS doubtful, sum(sum(NOT isCovered)) OVER () AS news, name, active
     FROM found JOIN imports i ON i.id = found.import
     GROUP BY found.import ORDER BY count(*) DESC, active DESC LIMIT 1`,
    id,
    id,
  );
  return known;
}

const counted = (table: "earlier" | "input"): string => `(SELECT print, status, count(*) AS n
    ${table === "earlier" ? ", max(import) AS import" : ""}
  FROM ${table} WHERE key IS NOT NULL AND print IS NOT NULL GROUP BY print, status)`;

/** So many rows that say what earlier ones say, under other keys, are no coincidence. */
const minOtherKeys = 2;

/**
 * Returns the rows of the staged input that say what earlier ones say, one to one, if both have keys, none of the input's is
 * known, and they are several: the keys seem to be others than before. Call it after compareRows.
 */
export function rowsWithOtherKeys(database: ImportDatabase): KnownRows | undefined {
  const isKnown = "SELECT 1 FROM earlier CROSS JOIN input USING (key) LIMIT 1";
  if (database.all(isKnown).length > 0) return undefined;
  const pairs = `${counted("earlier")} e JOIN ${counted("input")} i USING (print, status)`;
  const [found] = database.all<KnownRows>(
    `SELECT (SELECT count(*) FROM input WHERE print IS NOT NULL) AS rows, sum(min(e.n, i.n)) AS known,
       0 AS changed, 0 AS doubtful, 0 AS news, 1 AS hasOtherKeys, name, active
     FROM ${pairs} JOIN imports ON imports.id = e.import HAVING known >= ?`,
    minOtherKeys,
  );
  return found;
}

// What version 5 recorded of a name or a key that is spelled as in this input.
const respelling = ["print", "key"]
  .map(
    (column) => `UPDATE earlier SET ${column} = (SELECT new FROM respelled WHERE old = ${column})
    WHERE ${column} IN (SELECT old FROM respelled)`,
  )
  .join(";");

const tables = `DROP TABLE IF EXISTS temp.earlier;
  DROP TABLE IF EXISTS temp.takers;
  DROP TABLE IF EXISTS temp.found;
  CREATE TEMP TABLE earlier (import, number, print, key, status, doubt, id);
  CREATE TEMP TABLE takers (number, line, print, key, status, isCovered);
  CREATE TEMP TABLE found (number INTEGER PRIMARY KEY, line, isChanged, place, import, byNumber, id, doubt, status, own,
    isCovered)`;

// A row that an earlier run left out is compared again, unless the one that stands for it was added.
const takers = `INSERT INTO takers SELECT i.number, i.line, i.print, i.key, i.status, c.number IS NOT NULL
  FROM (SELECT number FROM (SELECT DISTINCT print FROM earlier) CROSS JOIN input USING (print)
    UNION SELECT number FROM (SELECT DISTINCT key FROM earlier) CROSS JOIN input USING (key) WHERE input.print IS NOT NULL)
  CROSS JOIN input i USING (number) LEFT JOIN rows o ON o.import = ? AND o.number = i.number
  LEFT JOIN covers c ON c.import = ? AND c.number = i.number
  WHERE coalesce(o.state, 'unsent') = 'unsent' AND NOT ${isAdded}`;

/**
 * Returns SQL that matches rows that are left one to one, in order, if they are equal in the columns `by`: earlier ones
 * for which `ofEarlier` is true, first those that were added, with those of the input for which `ofInput` is.
 */
const match = (
  kind: "known" | "changed",
  by: string,
  ofEarlier = "true",
  ofInput = "true",
): string => `
  INSERT INTO found SELECT t.number, t.line, ${Number(kind === "changed")}, e.place, e.import, e.byNumber, e.id, e.doubt,
    e.status, t.status, t.isCovered
  FROM (SELECT rowid AS place, number AS byNumber, *,
       row_number() OVER (PARTITION BY ${by} ORDER BY doubt, rowid) AS n
     FROM earlier WHERE ${ofEarlier} AND rowid NOT IN (SELECT place FROM found)) e
    JOIN (SELECT *, row_number() OVER (PARTITION BY ${by} ORDER BY isCovered DESC, number) AS n
     FROM takers WHERE ${ofInput} AND number NOT IN (SELECT number FROM found)) t USING (${by}, n) ORDER BY t.number`;

// Rows that both have a key are equal by it alone. Where only the earlier row has one, it matches no row with a key.
const [hasKey, hasNone] = ["key IS NOT NULL", "key IS NULL"];
const matches: readonly string[] = [
  match("known", "key, print, status", hasKey, hasKey),
  match("changed", "key", hasKey, hasKey),
  match("known", "print, status", hasKey, hasNone),
  match("known", "print, status", hasNone),
  match("changed", "print", hasKey, hasNone),
  match("changed", "print", hasNone),
];

/** A row for which one of another import stands. */
export interface FoundRow {
  readonly number: number;
  readonly line: number;
  readonly outcome: Outcome;
  /** With which it was sent, and that of the row now; empty for none. */
  readonly status: string;
  readonly own: string;
  /** Of the earlier animal, in digits, if it is recorded. */
  readonly id: string | null;
}

/** Returns at most `most` rows that were found, from the row `first` on; of one outcome or all. */
export function foundRows(
  database: ImportDatabase,
  [first, most]: readonly [first: number, most: number],
  outcome: Outcome | null = null,
): readonly FoundRow[] {
  const query = `SELECT * FROM (SELECT number, line, status, own, id, CASE doubt WHEN 0 THEN
      iif(isChanged, 'changed', 'known') WHEN 1 THEN 'unknown' ELSE 'waiting' END AS outcome FROM found)
    WHERE number >= ? AND outcome = coalesce(?, outcome) ORDER BY number LIMIT ?`;
  return database.all(query, first, outcome, most);
}

/**
 * Leaves the rows that were found out of an import, if any, in place of those that earlier runs left out for rows that were
 * not added; with `retryUnknown` not those that nobody works on, and `again` none.
 */
export async function coverRows(
  database: ImportDatabase,
  id: number,
  isFound: boolean,
  { again, retryUnknown }: { readonly again?: boolean; readonly retryUnknown?: boolean },
): Promise<void> {
  const range = "number >= ? AND number < ?";
  const remove = `DELETE FROM covers WHERE import = ? AND ${range} ${again ? "" : `AND NOT ${isAdded}`}`;
  const insert = `INSERT OR REPLACE INTO covers SELECT ?, number, import, byNumber, isChanged FROM found
    WHERE ${range} ${retryUnknown ? "AND doubt <> 1" : ""} ORDER BY number`;
  const isAny = database.all("SELECT 1 FROM covers WHERE import = ? LIMIT 1", id).length > 0;
  if (!isFound && !isAny) return;
  const [{ rows } = { rows: 0 }] = database.all<{ rows: number }>(
    "SELECT count(*) AS rows FROM input",
  );
  for (let first = 0; first < rows; first += stepRows) {
    if (first > 0) await database.pause();
    await database.transact(() => {
      database.run(remove, id, first, first + stepRows);
      if (isFound) database.run(insert, id, first, first + stepRows);
    }, false);
  }
}
