import type { SendRule } from "../types.ts";
import type { ImportDatabase } from "./database.ts";
import { type ImportRecord, rowsAtOnce } from "./import-records.ts";

/** What other imports have in common with the staged input. */
export interface KnownRows {
  /** How many rows were compared: those to be sent that were not accepted before. */
  readonly compared: number;
  /** How many of them other imports added, or may have; changed ones count. */
  readonly known: number;
  /** How many have the name and category of one that was added, and another status. */
  readonly changed: number;
  /** Whether an import that is not finished has any of them. */
  readonly isUnfinished: 0 | 1;
  /** The import that has the most of them, and when it was active. */
  readonly name: string;
  readonly active: number;
}

/**
 * Finds the rows that imports of other inputs added, or may have, among those of the staged input, and returns these
 * imports. The inputs `running` are being sent: all of their rows count. Finds at most `limit` rows; -1 is all.
 */
export function findEarlierRows(
  database: ImportDatabase,
  input: string,
  running: readonly string[] = [],
  limit = -1,
): readonly ImportRecord[] {
  database.exec("DROP TABLE IF EXISTS temp.earlier");
  if (database.all("SELECT 1 FROM imports WHERE input <> ? LIMIT 1", input).length === 0) return [];
  // In this order, each row of the input is found by the index of `prints`.
  const find = `CREATE TEMP TABLE earlier AS SELECT p.import, p.print, p.status, r.id
    FROM (SELECT DISTINCT print FROM input) CROSS JOIN prints p USING (print)
    CROSS JOIN imports i ON i.id = p.import AND i.input <> ?
    LEFT JOIN rows r ON r.import = p.import AND r.number = p.number
    WHERE r.state IN ('sent', 'added', 'unknown')
      OR (coalesce(r.state, 'unsent') = 'unsent' AND i.input IN (SELECT value FROM json_each(?)))
    LIMIT ?`;
  database.run(find, input, JSON.stringify(running), limit);
  database.exec("CREATE INDEX temp.earlier_prints ON earlier (print)");
  return database.all("SELECT * FROM imports WHERE id IN (SELECT import FROM earlier)");
}

/**
 * Compares the rows that are left with those of the imports `others`, each of which matches one row; returns
 * undefined if none matches. Rows that an earlier comparison of the same input found come first. Table `found`
 * then has the matches.
 */
export function compareRows(
  database: ImportDatabase,
  own: Pick<ImportRecord, "id"> | undefined,
  others: readonly Pick<ImportRecord, "id">[],
): KnownRows | undefined {
  if (others.length === 0) return undefined;
  const id = own?.id ?? 0;
  database.exec(comparison(id, others.map((each) => each.id).join(", ")));
  return database.all<KnownRows>(
    `SELECT (SELECT count(*) FROM input) - (SELECT count(*) FROM rows WHERE import = ?
         AND state <> 'invalid' AND (state <> 'unsent' OR accepted IS NOT NULL)) AS compared,
       sum(count(*)) OVER () AS known, sum(sum(kind = 'changed')) OVER () AS changed,
       max(1 - isFinished) OVER () AS isUnfinished, name, active
     FROM found JOIN imports ON imports.id = found.import WHERE mark IS NULL
     GROUP BY import ORDER BY count(*) DESC, active DESC LIMIT 1`,
    id,
  )[0];
}

/** Returns SQL that makes `found`: equal rows, then those of another status, matched one to one in order. */
function comparison(own: number, counted: string): string {
  const match = (kind: string, by: string, isLeft: string, isTaker: string): string => `
    INSERT INTO found SELECT t.number, t.line, t.mark, '${kind}', e.place, e.import, e.id, e.status FROM
      (SELECT rowid AS place, *,
         row_number() OVER (PARTITION BY ${by} ORDER BY id IS NULL, import, rowid) AS n
       FROM earlier WHERE import IN (${counted}) AND ${isLeft}) e
      JOIN (SELECT *, row_number() OVER (PARTITION BY ${by} ORDER BY mark IS NULL, number) AS n
       FROM takers WHERE ${isTaker}) t USING (${by}, n);`;
  return `
    DROP TABLE IF EXISTS temp.takers; DROP TABLE IF EXISTS temp.found;
    CREATE TEMP TABLE takers AS SELECT i.number, i.line, i.print, i.status,
        CASE WHEN o.state IN ('known', 'changed') THEN o.state ELSE o.accepted END AS mark
      FROM (SELECT DISTINCT print FROM earlier) CROSS JOIN input i USING (print)
      LEFT JOIN rows o ON o.import = ${own} AND o.number = i.number
      WHERE coalesce(o.state, 'unsent') IN ('unsent', 'known', 'changed');
    CREATE TEMP TABLE found (number INTEGER PRIMARY KEY, line, mark, kind, place, import, id, status);
    ${match("known", "print, status", "true", "mark IS NOT 'changed'")}
    CREATE INDEX temp.found_places ON found (place);
    ${match(
      "changed",
      "print",
      "rowid NOT IN (SELECT place FROM found)",
      "mark IS 'changed' OR (mark IS NULL AND number NOT IN (SELECT number FROM found))",
    )}`;
}

/**
 * Returns whether the input was probably added before: half of its rows are known, or an import that is not finished
 * has any of them, as of an earlier version of a file.
 */
export function isProbablyAdded({ known, compared, isUnfinished }: KnownRows): boolean {
  return isUnfinished === 1 || (known >= 2 && known * 2 >= compared);
}

/** A row that another import added, or may have. */
export interface FoundRow {
  readonly number: number;
  readonly line: number;
  readonly kind: "known" | "changed";
  /** The status with which it was added; empty for none. */
  readonly status: string;
  /** The id of the earlier animal in digits, if it is recorded. */
  readonly id: string | null;
}

/** Returns the rows that were found from the row `first` on, at most `most` of them; of one kind or all. */
export function foundRows(
  database: ImportDatabase,
  [first, most]: readonly [first: number, most: number],
  kind: FoundRow["kind"] | null = null,
): readonly FoundRow[] {
  const query = `SELECT number, line, kind, status, CAST(id AS TEXT) AS id FROM found
    WHERE mark IS NULL AND number >= ? AND kind = coalesce(?, kind) ORDER BY number LIMIT ?`;
  return database.all(query, first, kind, most);
}

/** Records which of the rows that were found are left out of an import, and which are sent nevertheless. */
export function recordFound(
  database: ImportDatabase,
  { id, rows }: Pick<ImportRecord, "id" | "rows">,
  { onlyNew }: Pick<SendRule, "onlyNew">,
): void {
  for (const kind of ["known", "changed"]) {
    const insert = `INSERT INTO rows (import, number, state, accepted, id)
      SELECT ?, number, ${onlyNew ? "kind, NULL, id" : "'unsent', kind, NULL"}
      FROM found WHERE mark IS NULL AND kind = ? AND number >= ? AND number < ?
      ON CONFLICT DO UPDATE SET state = excluded.state, accepted = excluded.accepted, id = excluded.id`;
    for (let first = 0; first < rows; first += rowsAtOnce)
      database.transact(() => {
        const count = database.run(insert, id, kind, first, first + rowsAtOnce);
        if (onlyNew)
          database.run(`UPDATE imports SET ${kind} = ${kind} + ? WHERE id = ?`, count, id);
      });
  }
}
