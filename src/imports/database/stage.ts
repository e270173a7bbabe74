import type { ReadRow } from "../types.ts";
import type { ImportDatabase } from "./database.ts";
import { fingerprint } from "./fingerprint.ts";

// With a larger cache, which rows in their order do not need, ten million of them take 3 MB more.
const begin = `PRAGMA main.cache_size = -500; PRAGMA temp.cache_size = -500;
  CREATE TEMP TABLE input (number INTEGER PRIMARY KEY, line, print, key, status, state);
  CREATE TEMP TABLE respelled (old PRIMARY KEY, new); BEGIN`;

// The indexes have all that is copied from them: rows that are looked up in another order take six times as long.
const end = `CREATE INDEX temp.input_prints ON input (print, status, number, key);
  CREATE INDEX temp.input_keys ON input (key, number, print) WHERE key IS NOT NULL;
  CREATE TEMP TABLE repeated (number INTEGER PRIMARY KEY, line, firstLine);
  INSERT INTO repeated SELECT i.number, i.line, f.line FROM
    (SELECT number, min(number) OVER (PARTITION BY key) AS first FROM input WHERE key IS NOT NULL) r
    JOIN input i USING (number) JOIN input f ON f.number = r.first WHERE r.number > r.first;
  UPDATE input SET state = 'invalid', print = NULL WHERE number IN (SELECT number FROM repeated); COMMIT`;

/** Collects the rows of an input in a private table, in constant memory. */
export function openStage(database: ImportDatabase) {
  database.exec(begin);
  const insert = "INSERT INTO input VALUES (?, ?, ?, ?, ?, ?)";
  const respell =
    "INSERT OR IGNORE INTO respelled SELECT * FROM (VALUES (?, ?), (?, ?)) WHERE column1 <> column2";
  let number = 0;
  return {
    add(rows: readonly ReadRow[]): void {
      for (const row of rows) {
        if ("pet" in row) {
          const { print, key, status, old } = fingerprint(row.pet, row.key);
          database.run(insert, number, row.line, print, key, status, "unsent");
          if (old !== undefined) database.run(respell, old.print, print, old.key, key);
        } else database.run(insert, number, row.line, null, null, "", "invalid");
        number += 1;
      }
    },
    /** Sorts the rows, makes those invalid whose key came before, and returns how many these are and the first of them. */
    end(most: number) {
      database.exec(end);
      const [{ count } = { count: 0 }] = database.all<{ count: number }>(
        "SELECT count(*) AS count FROM repeated",
      );
      return { count, first: repeatedKeys(database, 0, most) };
    },
  };
}

/** Returns at most `most` rows whose key came before, from the row `first` on. */
export const repeatedKeys = (database: ImportDatabase, first: number, most: number) =>
  database.all<{ number: number; line: number; firstLine: number }>(
    "SELECT number, line, firstLine FROM repeated WHERE number >= ? ORDER BY number LIMIT ?",
    first,
    most,
  );

/** Returns how many rows of the staged input equal an earlier one, and the first lines of at most `most` such animals. */
export function equalRows(database: ImportDatabase, most: number) {
  const groups = database.all<{ number: number; print: Uint8Array; status: string; total: number }>(
    `SELECT min(number) AS number, print, status, sum(count(*) - 1) OVER () AS total FROM input
     WHERE print IS NOT NULL AND key IS NULL
     GROUP BY print, status HAVING count(*) > 1 ORDER BY min(number) LIMIT ?`,
    most,
  );
  const lines = `SELECT line FROM input WHERE print = ? AND status = ? AND key IS NULL
    ORDER BY number LIMIT 10`;
  const first = groups.map(({ number, print, status }) => ({
    number,
    lines: database.all<{ line: number }>(lines, print, status).map(({ line }) => line),
  }));
  return { count: groups[0]?.total ?? 0, first };
}
