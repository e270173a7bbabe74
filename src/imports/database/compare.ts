import { hash } from "node:crypto";
import { petText, requiredPetFields } from "../../core/pet-fields.ts";
import type { NewPet } from "../../core/pet.ts";
import type { ReadRow } from "../types.ts";
import type { ImportDatabase } from "./database.ts";
import type { ImportRecord, NewImport } from "./import-records.ts";

const printBytes = 16;

// One for all: a million new ones would stay in memory until V8 frees them.
const scratch = Buffer.alloc(printBytes);

/** Returns a hash of name and category, by which an animal is known. The next call overwrites it. */
export function printOf(pet: NewPet): Uint8Array {
  scratch.write(hash("sha256", petText(pet, requiredPetFields), "binary"), 0, printBytes, "latin1");
  return scratch;
}

// With a larger cache, which rows in their order do not need, ten million of them take 3 MB more.
const begin = `PRAGMA main.cache_size = -500; PRAGMA temp.cache_size = -500;
  CREATE TEMP TABLE input (number INTEGER PRIMARY KEY, line, print, status, state); BEGIN`;

/** Collects the rows of an input in a private table, in constant memory; `end` sorts the prints of the valid ones. */
export function openStage(database: ImportDatabase) {
  database.exec(begin);
  const insert = "INSERT INTO input VALUES (?, ?, ?, ?, ?)";
  let number = 0;
  return {
    add(rows: readonly ReadRow[]): void {
      for (const row of rows) {
        const [print, status] =
          "pet" in row ? [printOf(row.pet), row.pet.status ?? ""] : [null, ""];
        database.run(insert, number, row.line, print, status, print ? "unsent" : "invalid");
        number += 1;
      }
    },
    end: (): void =>
      database.exec("COMMIT; CREATE INDEX temp.input_prints ON input (print, status)"),
  };
}

/** Returns how many rows of the staged input equal an earlier one, and the first lines of at most `most` such animals. */
export function equalRows(database: ImportDatabase, most: number) {
  const groups = database.all<{ number: number; print: Uint8Array; status: string; total: number }>(
    `SELECT min(number) AS number, print, status, sum(count(*) - 1) OVER () AS total FROM input
     WHERE print IS NOT NULL GROUP BY print, status HAVING count(*) > 1 ORDER BY min(number) LIMIT ?`,
    most,
  );
  const lines = "SELECT line FROM input WHERE print = ? AND status = ? ORDER BY number LIMIT 10";
  const first = groups.map(({ number, print, status }) => ({
    number,
    lines: database.all<{ line: number }>(lines, print, status).map(({ line }) => line),
  }));
  return { count: groups[0]?.total ?? 0, first };
}

/** What imports of other inputs have in common with the staged one. */
export interface KnownRows {
  /** How many rows are to be sent that were not noted before. */
  readonly compared: number;
  /** How many of them other imports added, or may have, changed ones included. */
  readonly known: number;
  /** How many have the name and category of one that was added, and another status. */
  readonly changed: number;
  /** Whether an import that is not finished has any of them. */
  readonly isUnfinished: 0 | 1;
  /** The import that has the most of them, and when it was active. */
  readonly name: string;
  readonly active: number;
}

/** The import `i` is of the store with the id ?1 and the address ?2: any that tells no id is known by its address. */
export const isSameStore = "coalesce(i.store = ?1, i.address = ?2)";

// In this order, each row of the input is found by the index of `prints`. All rows of the inputs ?4 count, which are
// being sent.
const earlierRows = `SELECT p.import, p.print, r.status, r.id
  FROM (SELECT DISTINCT print FROM input WHERE print IS NOT NULL) CROSS JOIN prints p USING (print)
  CROSS JOIN imports i ON i.id = p.import CROSS JOIN rows r ON r.import = p.import AND r.number = p.number
  WHERE i.input <> ?3 AND (r.state IN ('sent', 'added', 'unknown')
    OR r.state = 'unsent' AND i.input IN (SELECT value FROM json_each(?4)))`;

/** Returns whether imports of other inputs than `input` may have added any row of the staged one, to any store. */
export function hasEarlierRows(
  database: ImportDatabase,
  input: string,
  running: readonly string[],
): boolean {
  const values = [null, null, input, JSON.stringify(running)];
  return database.all(`${earlierRows} LIMIT 1`, ...values).length > 0;
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
  const place = [storeId ?? null, address, input, JSON.stringify(running)];
  if (database.run(earlier, ...place) === 0) return undefined;
  const id = own?.id ?? 0;
  database.run(takers, id);
  database.run(match("known", "print, status"));
  database.run(match("changed", "print"));
  const [known] = database.all<KnownRows>(
    `SELECT (SELECT count(*) FROM input WHERE print IS NOT NULL) - (SELECT count(*) FROM rows
         WHERE import = ? AND state <> 'invalid' AND (state <> 'unsent' OR isNoted)) AS compared,
       sum(count(*)) OVER () AS known, sum(sum(kind = 'changed')) OVER () AS changed,
       max(1 - isFinished) OVER () AS isUnfinished, name, active
     FROM found JOIN imports ON imports.id = found.import WHERE NOT isNoted
     GROUP BY import ORDER BY count(*) DESC, active DESC LIMIT 1`,
    id,
  );
  return known;
}

const tables = `DROP TABLE IF EXISTS temp.earlier;
  DROP TABLE IF EXISTS temp.takers;
  DROP TABLE IF EXISTS temp.found;
  CREATE TEMP TABLE earlier (import, print, status, id);
  CREATE TEMP TABLE takers (number, line, print, status, isNoted);
  CREATE TEMP TABLE found (number INTEGER PRIMARY KEY, line, kind, place, import, id, status, isNoted)`;

const takers = `INSERT INTO takers SELECT i.number, i.line, i.print, i.status,
    coalesce(o.isNoted OR o.state <> 'unsent', 0)
  FROM (SELECT DISTINCT print FROM earlier) CROSS JOIN input i USING (print)
  LEFT JOIN rows o ON o.import = ? AND o.number = i.number
  WHERE coalesce(o.state, 'unsent') IN ('unsent', 'known', 'changed')`;

/** Returns SQL that matches the rows that are left one to one, in order, if they are equal in these columns. */
const match = (kind: FoundRow["kind"], by: string): string => `
  INSERT INTO found SELECT t.number, t.line, '${kind}', e.place, e.import, e.id, e.status, t.isNoted FROM
    (SELECT rowid AS place, *,
       row_number() OVER (PARTITION BY ${by} ORDER BY id IS NULL, import, rowid) AS n
     FROM earlier WHERE rowid NOT IN (SELECT place FROM found)) e
    JOIN (SELECT *, row_number() OVER (PARTITION BY ${by} ORDER BY isNoted DESC, number) AS n
     FROM takers WHERE number NOT IN (SELECT number FROM found)) t USING (${by}, n)`;

/** Returns whether the input was probably added before. An unfinished import may be of an earlier version of the file. */
export function isProbablyAdded({ known, compared, isUnfinished }: KnownRows): boolean {
  return isUnfinished === 1 || (known >= 2 && known * 2 >= compared);
}

/** A row that another import added, or may have. */
export interface FoundRow {
  readonly number: number;
  readonly line: number;
  readonly kind: "known" | "changed";
  /** With which it was added; empty for none. */
  readonly status: string;
  /** Of the earlier animal, in digits, if it is recorded. */
  readonly id: string | null;
}

/** Returns at most `most` rows that were found, from the row `first` on; of one kind or all. */
export function foundRows(
  database: ImportDatabase,
  [first, most]: readonly [first: number, most: number],
  kind: FoundRow["kind"] | null = null,
): readonly FoundRow[] {
  const query = `SELECT number, line, kind, status, CAST(id AS TEXT) AS id FROM found
    WHERE NOT isNoted AND number >= ? AND kind = coalesce(?, kind) ORDER BY number LIMIT ?`;
  return database.all(query, first, kind, most);
}

/** Records which rows were found: they are left out of an import if `onlyNew`, else sent nevertheless. */
export function recordFound(
  database: ImportDatabase,
  { id }: Pick<ImportRecord, "id">,
  { known, changed }: KnownRows,
  onlyNew: boolean,
): void {
  const change = onlyNew ? "state = kind, id = found.id" : "isNoted = 1";
  const update = `UPDATE rows SET ${change} FROM found
    WHERE rows.import = ? AND rows.number = found.number AND NOT found.isNoted`;
  const count = "UPDATE imports SET known = known + ?, changed = changed + ? WHERE id = ?";
  database.transact(() => {
    database.run(update, id);
    if (onlyNew) database.run(count, known - changed, changed, id);
  });
}
