import { hash } from "node:crypto";
import { petText, requiredPetFields } from "../../core/pet-fields.ts";
import type { NewPet } from "../../core/pet.ts";
import type { Row } from "../types.ts";
import type { ImportDatabase } from "./database.ts";

/** How many bytes of a SHA-256 identify an animal. */
const printBytes = 16;

// One for all: a million new ones would stay in memory until V8 frees them.
const scratch = Buffer.alloc(printBytes);

/** Returns a hash of name, as it is written, and category: an animal is known by it. The next call overwrites it. */
export function printOf(pet: NewPet): Uint8Array {
  scratch.write(hash("sha256", petText(pet, requiredPetFields), "binary"), 0, printBytes, "latin1");
  return scratch;
}

// With a larger cache, which rows in their order do not need, ten million of them take 3 MB more.
const begin = `PRAGMA main.cache_size = -500; PRAGMA temp.cache_size = -500;
  CREATE TEMP TABLE input (number INTEGER PRIMARY KEY, line, print, status); BEGIN`;

/** Collects the rows of an input in a private table, to be compared, in constant memory; `end` sorts their prints. */
export function openStage(database: ImportDatabase) {
  database.exec(begin);
  const insert = "INSERT INTO input VALUES (?, ?, ?, ?)";
  return {
    add(rows: readonly Row[]): void {
      for (const { index, line, pet } of rows)
        database.run(insert, index, line, printOf(pet), pet.status ?? "");
    },
    end: (): void =>
      database.exec("COMMIT; CREATE INDEX temp.input_prints ON input (print, status)"),
  };
}

/**
 * Returns how many rows of the staged input equal an earlier one, and the first lines of at most `most` animals
 * that are there more than once.
 */
export function equalRows(database: ImportDatabase, most: number) {
  const groups = database.all<{ number: number; print: Uint8Array; status: string; total: number }>(
    `SELECT min(number) AS number, print, status, sum(count(*) - 1) OVER () AS total FROM input
     GROUP BY print, status HAVING count(*) > 1 ORDER BY min(number) LIMIT ?`,
    most,
  );
  const lines = "SELECT line FROM input WHERE print = ? AND status = ? ORDER BY number LIMIT 10";
  const first = groups.map(({ number, print, status }) => ({
    number,
    lines: database.all<{ line: number }>(lines, print, status).map(({ line }) => line),
  }));
  return { count: groups[0]?.total ?? 0, first };
}
