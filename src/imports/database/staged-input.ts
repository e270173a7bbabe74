import { hash } from "node:crypto";
import { petText, requiredPetFields } from "../../core/pet-fields.ts";
import type { NewPet } from "../../core/pet.ts";
import type { Row } from "../types.ts";
import type { ImportDatabase } from "./database.ts";

/** How many bytes of a SHA-256 identify an animal. */
const printBytes = 16;

// One for all: a million new ones would stay in memory until V8 frees them.
const scratch = Buffer.alloc(printBytes);

/**
 * Returns a hash of name and category, by which an animal is known again. A name counts as it is written.
 * The next call overwrites it.
 */
export function printOf(pet: NewPet): Uint8Array {
  scratch.write(hash("sha256", petText(pet, requiredPetFields), "binary"), 0, printBytes, "latin1");
  return scratch;
}

/** Collects the rows of an input in a private table, to be compared; in constant memory. */
export interface InputStage {
  add(rows: readonly Row[]): void;
  /** Ends it: the rows can now be found by their prints. */
  end(): void;
}

/** Opens the stage of the input that is checked. */
export function openStage(database: ImportDatabase): InputStage {
  database.exec("CREATE TEMP TABLE input (number INTEGER PRIMARY KEY, line, print, status); BEGIN");
  const insert = "INSERT INTO input VALUES (?, ?, ?, ?)";
  return {
    add(rows) {
      for (const { index, line, pet } of rows)
        database.run(insert, index, line, printOf(pet), pet.status ?? "");
    },
    end: () => database.exec("COMMIT; CREATE INDEX temp.input_prints ON input (print, status)"),
  };
}

/** Equal rows of an input: how many there are, and the first lines of the first ones. */
export interface EqualRows {
  /** The rows that equal an earlier one. */
  readonly count: number;
  readonly first: readonly { readonly number: number; readonly lines: readonly number[] }[];
}

/** Returns the rows of the staged input that equal another one; at most `most` animals are named. */
export function equalRows(database: ImportDatabase, most: number): EqualRows {
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
