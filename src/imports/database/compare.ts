import type { PetStatus } from "../../core/pet-rules.ts";
import type { ImportRecord } from "./import-records.ts";
import { memoryMs } from "./import-records.ts";
import type { ImportDatabase } from "./open.ts";
import { codesOf, maybeAdded, stateCode } from "./schema.ts";
import { statusOf } from "./staged-input.ts";
import { transact } from "./transaction.ts";

/** What other imports have in common with the staged input. */
export interface Comparison {
  /** How many rows were compared: those to be sent that were not accepted before. */
  readonly compared: number;
  /** How many of them other imports added, or may have. */
  readonly known: number;
  /** How many have the name and category of one that was added, and another status. */
  readonly changed: number;
  /** The id of the import that has the most rows in common. */
  readonly best: number | undefined;
}

const before = { known: 1, changed: 2 } as const;

/**
 * Finds the rows that imports of other inputs added, or may have, among those of the staged input, and returns
 * the ids of these imports. Finished imports are forgotten after 90 days.
 */
export function findEarlierRows(
  { run, sql }: ImportDatabase,
  input: string,
  now: number,
): readonly number[] {
  return run(() => {
    sql.exec("DROP TABLE IF EXISTS main.earlier; DROP TABLE IF EXISTS main.others");
    sql.exec("CREATE TABLE main.others (id INTEGER PRIMARY KEY)");
    sql
      .prepare(
        `INSERT INTO main.others SELECT id FROM imports
         WHERE input <> ? AND sent + added + unknown > 0 AND (finished = 0 OR active >= ?)`,
      )
      .run(input, now - memoryMs);
    const sizes = sql
      .prepare(
        "SELECT (SELECT sum(rows) FROM imports) AS recorded, (SELECT count(*) FROM input) AS own",
      )
      .get();
    const wanted = `r.import IN (SELECT id FROM others) AND r.state IN (${codesOf(maybeAdded)})`;
    // From the smaller side, each row of the other is found by an index.
    const source =
      Number(sizes?.recorded ?? 0) < Number(sizes?.own)
        ? `prints p CROSS JOIN rows r USING (import, number)
           WHERE ${wanted} AND EXISTS (SELECT 1 FROM input i WHERE i.print = p.print)`
        : `(SELECT DISTINCT print FROM input) i CROSS JOIN prints p USING (print)
           CROSS JOIN rows r USING (import, number) WHERE ${wanted}`;
    sql.exec(`CREATE TABLE main.earlier AS SELECT p.import, p.print, p.status, r.id FROM ${source};
      CREATE INDEX main.earlier_prints ON earlier (print)`);
    return sql
      .prepare("SELECT DISTINCT import FROM main.earlier")
      .all()
      .map((row) => Number(row.import));
  });
}

/**
 * Compares the rows that are left with those of the imports `counted`; each of these matches one row.
 * Rows that an earlier comparison of the same input found come first. `found` then has the matches.
 */
export function compareRows(
  { run, sql }: ImportDatabase,
  own: Pick<ImportRecord, "id"> | undefined,
  counted: readonly number[],
): Comparison {
  return run(() => {
    const id = own?.id ?? null;
    sql.exec(comparison(counted.length === 0 ? "NULL" : counted.join(", "), id));
    const left = sql
      .prepare(
        `SELECT (SELECT count(*) FROM input) - (SELECT count(*) FROM rows WHERE import = ?
         AND state <> ${stateCode("invalid")} AND (state <> 0 OR accepted > 0)) AS many`,
      )
      .get(id);
    const count = (kind: number): number =>
      Number(
        sql.prepare("SELECT count(*) AS many FROM found WHERE mark IS NULL AND kind = ?").get(kind)
          ?.many,
      );
    const best = sql
      .prepare(
        `SELECT import FROM found JOIN imports ON imports.id = found.import WHERE mark IS NULL
         GROUP BY import ORDER BY count(*) DESC, active DESC LIMIT 1`,
      )
      .get();
    return {
      compared: Number(left?.many),
      known: count(before.known),
      changed: count(before.changed),
      best: best && Number(best.import),
    };
  });
}

/** Returns SQL that makes `found`: equal rows, then those of another status, matched one to one in order. */
function comparison(counted: string, own: number | null): string {
  const { known, changed } = before;
  const mark = `CASE o.state WHEN ${stateCode("known")} THEN ${known} WHEN ${stateCode("changed")} THEN ${changed} ELSE o.accepted END`;
  const earlierFirst = "id IS NULL, import, rowid";
  const match = (kind: number, by: string, isLeft: string, isTaker: string): string => `
    INSERT INTO main.found SELECT t.number, t.mark, ${kind}, e.place, e.import, e.id, e.status FROM
      (SELECT rowid AS place, *, row_number() OVER (PARTITION BY ${by} ORDER BY ${earlierFirst}) AS n
       FROM main.earlier WHERE import IN (${counted}) AND ${isLeft}) e
      JOIN (SELECT *, row_number() OVER (PARTITION BY ${by} ORDER BY mark IS NULL, number) AS n
       FROM main.takers WHERE ${isTaker}) t USING (${by}, n);`;
  return `
    DROP TABLE IF EXISTS main.takers; DROP TABLE IF EXISTS main.found;
    CREATE TABLE main.takers AS SELECT i.number, i.print, i.status, ${mark} AS mark
      FROM (SELECT DISTINCT print FROM main.earlier) e CROSS JOIN main.input i ON i.print = e.print
      LEFT JOIN rows o ON o.import = ${own} AND o.number = i.number
      WHERE coalesce(o.state, 0) = 0 OR ${mark} > 0;
    CREATE TABLE main.found (number INTEGER PRIMARY KEY, mark, kind, place, import, id, status);
    ${match(known, "print, status", "true", `mark IS NOT ${changed}`)}
    CREATE INDEX main.found_places ON found (place);
    ${match(
      changed,
      "print",
      "rowid NOT IN (SELECT place FROM main.found)",
      `mark IS ${changed} OR (mark IS NULL AND number NOT IN (SELECT number FROM main.found))`,
    )}`;
}

/** A row that another import added, or may have. */
export interface FoundRow {
  readonly number: number;
  readonly line: number;
  readonly kind: "known" | "changed";
  /** The status with which it was added. */
  readonly status: PetStatus | undefined;
  /** The id of the earlier animal, if it is recorded. */
  readonly id: bigint | undefined;
}

/** Returns the rows that were found, from the row `first` on and at most `most` of them, in order. */
export function foundRows(
  { run, sql }: ImportDatabase,
  {
    first,
    most,
    kind,
  }: { readonly first: number; readonly most: number; readonly kind?: FoundRow["kind"] },
): readonly FoundRow[] {
  return run(() => {
    const statement = sql.prepare(
      `SELECT number, line, kind, found.status, id FROM main.found JOIN main.input USING (number)
       WHERE mark IS NULL AND number >= ? AND kind = coalesce(?, kind) ORDER BY number LIMIT ?`,
    );
    statement.setReadBigInts(true);
    return statement.all(first, kind === undefined ? null : before[kind], most).map((row) => ({
      number: Number(row.number),
      line: Number(row.line),
      kind: Number(row.kind) === before.known ? "known" : "changed",
      status: statusOf(row.status),
      id: typeof row.id === "bigint" ? row.id : undefined,
    }));
  });
}

/** What is done about the rows that were found. */
export interface FoundRule {
  /** Whether known rows are left out. */
  readonly onlyNew: boolean;
  /** Whether changed rows are sent nevertheless. */
  readonly addChanged: boolean;
}

/** How many rows are marked in one transaction. */
const markedAtOnce = 50_000;

/** Records which of the rows that were found are left out of an import, and which were accepted. */
export function recordFound(
  database: ImportDatabase,
  { id, rows }: Pick<ImportRecord, "id" | "rows">,
  { onlyNew, addChanged }: FoundRule,
): void {
  const { sql } = database;
  const leftOut = onlyNew ? (addChanged ? [before.known] : [before.known, before.changed]) : [];
  const left = leftOut.join(", ") || "0";
  const insert = `INSERT INTO rows (import, number, state, accepted, id)
    SELECT ${id}, number,
      CASE WHEN kind NOT IN (${left}) THEN 0 WHEN kind = ${before.known} THEN ${stateCode("known")} ELSE ${stateCode("changed")} END,
      CASE WHEN kind NOT IN (${left}) THEN kind END, CASE WHEN kind IN (${left}) THEN id END
    FROM main.found WHERE mark IS NULL AND number >= ?1 AND number < ?1 + ${markedAtOnce}
    ON CONFLICT DO UPDATE SET state = excluded.state, accepted = excluded.accepted, id = excluded.id`;
  const statement = sql.prepare(insert);
  for (let first = 0; first < rows; first += markedAtOnce)
    transact(database, () => statement.run(first));
  transact(database, () => {
    for (const state of ["known", "changed"] as const)
      sql
        .prepare(
          `UPDATE imports SET ${state} =
           (SELECT count(*) FROM rows WHERE import = ?1 AND state = ?2) WHERE id = ?1`,
        )
        .run(id, stateCode(state));
  });
}
