import { hash } from "node:crypto";
import { petStatuses } from "../../core/enums.ts";
import { petText, requiredPetFields } from "../../core/pet-fields.ts";
import type { NewPet } from "../../core/pet.ts";
import type { PetStatus } from "../../core/pet-rules.ts";
import type { Row } from "../types.ts";
import type { ImportDatabase } from "./open.ts";

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

/** Returns the number that stands for a status; 0 for none. */
export function statusCode(status: PetStatus | undefined): number {
  return status === undefined ? 0 : petStatuses.indexOf(status) + 1;
}

/** Returns the status that a number stands for. */
export function statusOf(code: unknown): PetStatus | undefined {
  return petStatuses[Number(code) - 1];
}

/** Collects the rows of an input in a private table, to be compared; in constant memory. */
export interface InputStage {
  add(rows: readonly Row[]): void;
  /** Ends it: the rows can now be found by their prints. */
  end(): void;
}

/** Opens the stage of the input that is checked. */
export function openStage({ run, sql }: ImportDatabase): InputStage {
  const insert = run(() => {
    sql.exec("CREATE TABLE main.input (number INTEGER PRIMARY KEY, line, print, status); BEGIN");
    return sql.prepare("INSERT INTO main.input VALUES (?, ?, ?, ?)");
  });
  return {
    add: (rows) =>
      run(() => {
        for (const { index, line, pet } of rows)
          insert.run(index, line, printOf(pet), statusCode(pet.status));
      }),
    end: () =>
      run(() => sql.exec("COMMIT; CREATE INDEX main.input_prints ON input (print, status)")),
  };
}

/** Equal rows of an input: how many there are, and the first lines of the first ones. */
export interface EqualRows {
  /** The rows that equal an earlier one. */
  readonly count: number;
  readonly first: readonly { readonly number: number; readonly lines: readonly number[] }[];
}

/** Returns the rows of the staged input that equal another one; at most `most` animals are named. */
export function equalRows({ run, sql }: ImportDatabase, most: number): EqualRows {
  return run(() => {
    const groups = sql
      .prepare(
        `SELECT min(number) AS number, print, status, count(*) AS many FROM main.input
         GROUP BY print, status HAVING count(*) > 1 ORDER BY number LIMIT ?`,
      )
      .all(most);
    const total =
      groups.length < most
        ? groups.reduce((sum, { many }) => sum + Number(many) - 1, 0)
        : Number(
            sql
              .prepare(
                `SELECT sum(many - 1) AS total FROM (SELECT count(*) AS many FROM main.input
                 GROUP BY print, status HAVING count(*) > 1)`,
              )
              .get()?.total,
          );
    const lines = sql.prepare(
      "SELECT line FROM main.input WHERE print = ? AND status = ? ORDER BY number LIMIT 10",
    );
    const first = groups.map(({ number, print, status }) => ({
      number: Number(number),
      lines: lines.all(print ?? null, status ?? null).map(({ line }) => Number(line)),
    }));
    return { count: total, first };
  });
}
