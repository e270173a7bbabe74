import type { ReadOptions, ReadRow } from "../types.ts";
import type { ImportDatabase } from "./database.ts";
import { fingerprint, keyPrint } from "./fingerprint.ts";

// With a larger cache, which rows in their order do not need, ten million of them take 3 MB more.
const begin = `PRAGMA main.cache_size = -500; PRAGMA temp.cache_size = -500;
  CREATE TEMP TABLE input (number INTEGER PRIMARY KEY, line, print, key, status, state);
  CREATE TEMP TABLE respelled (old PRIMARY KEY, new); BEGIN`;

// The indexes have all that is copied from them: rows that are looked up in another order take six times as long.
const end = (
  kept: "min" | "max",
  state: RepeatedRow["state"],
): string => `CREATE INDEX temp.input_prints ON input (print, status, number, key);
  CREATE INDEX temp.input_keys ON input (key, number, print) WHERE key IS NOT NULL;
  CREATE TEMP TABLE repeated (number INTEGER PRIMARY KEY, line, keptLine, state);
  INSERT INTO repeated SELECT i.number, i.line, k.line, '${state}' FROM
    (SELECT number, ${kept}(number) OVER (PARTITION BY key) AS kept FROM input WHERE key IS NOT NULL) r
    JOIN input i USING (number) JOIN input k ON k.number = r.kept WHERE r.number <> r.kept AND i.state = 'unsent';
  UPDATE input SET key = NULL WHERE state = 'invalid';
  UPDATE input SET state = '${state}', print = NULL WHERE number IN (SELECT number FROM repeated); COMMIT`;

export type Stage = ReturnType<typeof openStage>;

/** Collects the rows of an input in a private table, in constant memory; `repeats` says which row of a key counts. */
export function openStage(database: ImportDatabase, repeats?: ReadOptions["repeats"]) {
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
        } else {
          // The one that counts may be invalid: then none of its key is sent.
          const key = repeats === undefined ? null : keyPrint(row.key);
          database.run(insert, number, row.line, null, key, "", "invalid");
        }
        number += 1;
      }
    },
    /** Sorts the rows, leaves out those that repeat a key, and returns how many are invalid for it and the first of them. */
    end(most: number) {
      const state = repeats === undefined ? "invalid" : "repeated";
      database.exec(end(repeats === "last" ? "max" : "min", state));
      const count = countRepeated(database, "invalid");
      return { count, first: count === 0 ? [] : repeatedKeys(database, 0, most) };
    },
  };
}

/** A row that is left out, as the row of `keptLine` has its key. */
export interface RepeatedRow {
  readonly number: number;
  readonly line: number;
  readonly keptLine: number;
  readonly state: "invalid" | "repeated";
}

/** Returns at most `most` rows that repeat a key, from the row `first` on. */
export const repeatedKeys = (database: ImportDatabase, first: number, most: number) =>
  database.all<RepeatedRow>(
    "SELECT * FROM repeated WHERE number >= ? ORDER BY number LIMIT ?",
    first,
    most,
  );

/** Returns how many rows are in this state as they repeat a key. */
export const countRepeated = (database: ImportDatabase, state: RepeatedRow["state"]): number =>
  database.all<{ n: number }>("SELECT count(*) AS n FROM repeated WHERE state = ?", state)[0]?.n ??
  0;

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
