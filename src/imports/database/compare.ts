import type { ImportDatabase } from "./database.ts";
import { type ImportRecord, type NewImport, stepRows } from "./import-records.ts";

/** What imports of other inputs have in common with the staged one. */
export interface KnownRows {
  /** How many rows were to be sent. */
  readonly rows: number;
  /** How many of them other imports added, or may have, changed ones included. */
  readonly known: number;
  /** How many have the key, or the name and category, of one that was added, and say something else. */
  readonly changed: number;
  /** How many of those that are known and not changed may have been added, or not. */
  readonly doubtful: number;
  /** The import that has the most of them, when it was active, and how many of its own rows are left. */
  readonly id: number;
  readonly name: string;
  readonly active: number;
  readonly unsent: number;
}

/** The import `i` is of the store with an id, or if one of both has none, with an address: the two next values. */
export const isSameStore = "coalesce(i.store = ?, i.address = ?)";

// In this order, each row of the input is found by the index of `prints` or of `keys`. All rows of the inputs that are
// being sent count. Its values are the input and those inputs (Node 22 does not take a number after a question mark).
const earlierRows = `SELECT e.import, e.print, e.key, r.status, r.state, CAST(r.id AS TEXT) AS id
  FROM (SELECT p.* FROM (SELECT DISTINCT print FROM input WHERE print IS NOT NULL) CROSS JOIN prints p USING (print)
    UNION ALL SELECT k.print, k.import, k.number, k.key FROM input CROSS JOIN keys k USING (key)
    WHERE input.print IS NOT NULL AND k.print NOT IN (SELECT print FROM input WHERE print IS NOT NULL)) e
  CROSS JOIN imports i ON i.id = e.import CROSS JOIN rows r ON r.import = e.import AND r.number = e.number
  WHERE i.input <> ? AND i.isReady AND (r.state IN ('sent', 'added', 'unknown')
    OR r.state = 'unsent' AND i.input IN (SELECT value FROM json_each(?)))`;

/** Returns whether imports of other inputs than `input` may have added any row of the staged one, to any store. */
export function hasEarlierRows(
  database: ImportDatabase,
  input: string,
  running: readonly string[],
): boolean {
  const found = database.all(`${earlierRows} LIMIT 1`, input, JSON.stringify(running));
  return found.length > 0;
}

/**
 * Matches the rows that `own` has left with those that other imports added to a store, or may have, one to one, into the
 * table `found`. Returns undefined if none matches.
 */
export function compareRows(
  database: ImportDatabase,
  own: Pick<ImportRecord, "id"> | undefined,
  { input, address }: Pick<NewImport, "input" | "address">,
  storeId?: string,
  running: readonly string[] = [],
): KnownRows | undefined {
  database.exec(tables);
  const earlier = `INSERT INTO earlier ${earlierRows} AND ${isSameStore}`;
  const values = [input, JSON.stringify(running), storeId ?? null, address];
  if (database.run(earlier, ...values) === 0) return undefined;
  const id = own?.id ?? 0;
  database.run(takers, id);
  const keys = database.all(`SELECT 1 FROM earlier WHERE ${hasKey} LIMIT 1`).length;
  for (const step of matches) if (keys > 0 || !step.includes(hasKey)) database.run(step);
  const [known] = database.all<KnownRows>(
    `SELECT (SELECT count(*) FROM input WHERE print IS NOT NULL) - (SELECT count(*) FROM rows
         WHERE import = ? AND state NOT IN ('invalid', 'unsent')) AS rows,
       sum(count(*)) OVER () AS known, sum(sum(kind = 'changed')) OVER () AS changed,
       sum(sum(kind = 'known' AND NOT isAdded)) OVER () AS doubtful, i.id, name, active, unsent
     FROM found JOIN imports i ON i.id = found.import WHERE NOT isLeftOut
     GROUP BY import ORDER BY count(*) DESC, active DESC LIMIT 1`,
    id,
  );
  return known;
}

const tables = `DROP TABLE IF EXISTS temp.earlier;
  DROP TABLE IF EXISTS temp.takers;
  DROP TABLE IF EXISTS temp.found;
  CREATE TEMP TABLE earlier (import, print, key, status, state, id);
  CREATE TEMP TABLE takers (number, line, print, key, status, isLeftOut);
  CREATE TEMP TABLE found
    (number INTEGER PRIMARY KEY, line, kind, place, import, id, isAdded, status, own, isLeftOut)`;

const takers = `INSERT INTO takers SELECT i.number, i.line, i.print, i.key, i.status,
    coalesce(o.state <> 'unsent', 0)
  FROM (SELECT number FROM (SELECT DISTINCT print FROM earlier) CROSS JOIN input USING (print)
    UNION SELECT number FROM (SELECT DISTINCT key FROM earlier) CROSS JOIN input USING (key) WHERE input.print IS NOT NULL)
  CROSS JOIN input i USING (number) LEFT JOIN rows o ON o.import = ? AND o.number = i.number
  WHERE coalesce(o.state, 'unsent') IN ('unsent', 'known', 'changed')`;

/**
 * Returns SQL that matches rows that are left one to one, in order, if they are equal in the columns `by`: earlier ones
 * for which `ofEarlier` is true with those of the input for which `ofInput` is.
 */
const match = (
  kind: FoundRow["kind"],
  by: string,
  ofEarlier = "true",
  ofInput = "true",
): string => `
  INSERT INTO found SELECT t.number, t.line, '${kind}', e.place, e.import, e.id, e.state = 'added', e.status, t.status,
    t.isLeftOut
  FROM (SELECT rowid AS place, *,
       row_number() OVER (PARTITION BY ${by} ORDER BY id IS NULL, import, rowid) AS n
     FROM earlier WHERE ${ofEarlier} AND rowid NOT IN (SELECT place FROM found)) e
    JOIN (SELECT *, row_number() OVER (PARTITION BY ${by} ORDER BY isLeftOut DESC, number) AS n
     FROM takers WHERE ${ofInput} AND number NOT IN (SELECT number FROM found)) t USING (${by}, n) ORDER BY number`;

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

/** A row that another import added, or may have. */
export interface FoundRow {
  readonly number: number;
  readonly line: number;
  readonly kind: "known" | "changed";
  readonly isAdded: 0 | 1;
  /** With which it was added, and that of the row now; empty for none. */
  readonly status: string;
  readonly own: string;
  /** Of the earlier animal, in digits, if it is recorded. */
  readonly id: string | null;
}

/** Returns at most `most` rows that were found, from the row `first` on; of one kind or all. */
export function foundRows(
  database: ImportDatabase,
  [first, most]: readonly [first: number, most: number],
  kind: FoundRow["kind"] | null = null,
): readonly FoundRow[] {
  const query = `SELECT number, line, kind, isAdded, status, own, id FROM found
    WHERE NOT isLeftOut AND number >= ? AND kind = coalesce(?, kind) ORDER BY number LIMIT ?`;
  return database.all(query, first, kind, most);
}

/** Leaves the rows that were found out of an import. */
export async function leaveOutFound(
  database: ImportDatabase,
  { id, rows }: Pick<ImportRecord, "id" | "rows">,
): Promise<void> {
  const update = `UPDATE rows SET state = kind, id = CAST(found.id AS INTEGER) FROM found
    WHERE rows.import = ? AND rows.number = found.number AND NOT found.isLeftOut AND kind = ?
      AND found.number >= ? AND found.number < ?`;
  const count = "UPDATE imports SET known = known + ?, changed = changed + ? WHERE id = ?";
  for (let first = 0; first < rows; first += stepRows) {
    if (first > 0) await database.pause();
    await database.transact(() => {
      const counts = ["known", "changed"].map((kind) =>
        database.run(update, id, kind, first, first + stepRows),
      );
      database.run(count, ...counts, id);
    }, false);
  }
}
