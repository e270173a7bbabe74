import { expect, it } from "vitest";
import { ImportDatabase } from "../../../src/imports/database/database.ts";
import {
  countRepeated,
  equalRows,
  openStage,
  repeatedKeys,
} from "../../../src/imports/database/stage.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { keyedRows, letterRows } from "../support/animals.ts";
import { stagedDatabase } from "../support/run.ts";

/** Returns the states of the staged rows. */
const statesIn = (database: ImportDatabase): string =>
  database
    .all<{ state: string }>("SELECT state FROM input ORDER BY number")
    .map(({ state }) => state)
    .join(" ");

it("makes rows invalid whose key came before, and tells no equal rows that have one", () => {
  using database = new ImportDatabase(temporaryFolder(), "write");
  const stage = openStage(database);
  stage.add(keyedRows("1=Mia|2=Mia|a=Rex|01=Leo|Mia|A=Rex|1.0=Mia"));
  const [second, third, last] = [
    { number: 3, line: 4, keptLine: 1, state: "invalid" },
    { number: 5, line: 6, keptLine: 3, state: "invalid" },
    { number: 6, line: 7, keptLine: 1, state: "invalid" },
  ];
  expect(stage.end(2)).toEqual({ count: 3, first: [second, third] });
  expect(repeatedKeys(database, 4, 9)).toEqual([third, last]);
  expect(equalRows(database, 5)).toEqual({ count: 0, first: [] });
  expect(statesIn(database)).toBe("unsent unsent unsent invalid unsent invalid invalid");
  expect(countRepeated(database, "repeated")).toBe(0);
});

it.each([
  ["first", "unsent unsent repeated unsent repeated repeated", [1, 2, 1]],
  ["last", "repeated repeated repeated unsent unsent unsent", [6, 5, 6]],
] as const)("of rows with one key the %s counts, if so wanted", (repeats, states, keptLines) => {
  using database = new ImportDatabase(temporaryFolder(), "write");
  const stage = openStage(database, repeats);
  stage.add(keyedRows("1=Mia|a=Rex|01=Leo|Mia|A=Tom|1.0=Bo"));
  expect(stage.end(2)).toEqual({ count: 0, first: [] });
  expect(statesIn(database)).toBe(states);
  expect(countRepeated(database, "repeated")).toBe(3);
  expect(repeatedKeys(database, 0, 9).map(({ keptLine }) => keptLine)).toEqual(keptLines);
});

it("names equal rows of an input by their lines", () => {
  const database = stagedDatabase(letterRows("abaAba"));
  expect(equalRows(database, 5)).toEqual({
    count: 3,
    first: [
      { number: 0, lines: [1, 3, 6] },
      { number: 1, lines: [2, 5] },
    ],
  });
  expect(equalRows(database, 1)).toEqual({ count: 3, first: [{ number: 0, lines: [1, 3, 6] }] });
});

it("takes names in two Unicode forms for equal", () => {
  const database = stagedDatabase(keyedRows("Zo\u00EB|Zoe\u0308"));
  expect(equalRows(database, 5)).toMatchObject({ count: 1, first: [{ lines: [1, 2] }] });
});
