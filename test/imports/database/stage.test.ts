import { expect, it } from "vitest";
import { ImportDatabase } from "../../../src/imports/database/database.ts";
import { equalRows, openStage, repeatedKeys } from "../../../src/imports/database/stage.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { keyedRows, letterRows } from "../support/animals.ts";
import { stagedDatabase } from "../support/run.ts";

it("makes rows invalid whose key came before, and tells no equal rows that have one", () => {
  using database = new ImportDatabase(temporaryFolder(), "write");
  const stage = openStage(database);
  stage.add(keyedRows("1=Mia|2=Mia|a=Rex|01=Leo|Mia|A=Rex|1.0=Mia"));
  const [second, third, last] = [
    { number: 3, line: 4, firstLine: 1 },
    { number: 5, line: 6, firstLine: 3 },
    { number: 6, line: 7, firstLine: 1 },
  ];
  expect(stage.end(2)).toEqual({ count: 3, first: [second, third] });
  expect(repeatedKeys(database, 4, 9)).toEqual([third, last]);
  expect(equalRows(database, 5)).toEqual({ count: 0, first: [] });
  const states = database.all<{ state: string }>("SELECT state FROM input ORDER BY number");
  expect(states.map(({ state }) => state).join(" ")).toBe(
    "unsent unsent unsent invalid unsent invalid invalid",
  );
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
