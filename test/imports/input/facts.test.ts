import { expect, it } from "vitest";
import {
  addFacts,
  addRepeatedKeys,
  InputFacts,
  sortedWords,
} from "../../../src/imports/input/facts.ts";
import type { Fault, InputRecord } from "../../../src/imports/types.ts";

const wrong = (line: number, fault: Fault, fatal?: "file"): InputRecord => ({
  original: [String(line)],
  read: { line, message: "…", fault, ...(fatal && { fatal }) },
});

const lacking = {
  unknown: new Map(),
  missing: ["categoryId", "status"],
  wrong: new Map(),
} as const;

function factsOf(...records: readonly InputRecord[]): InputFacts {
  const facts = new InputFacts();
  for (const record of records) addFacts(facts, record);
  return facts;
}

const linesOf = ({ listed }: InputFacts) => listed.map(({ line }) => line);
const rows = (count: number) => Array.from({ length: count }, (_none, i) => wrong(i + 1, lacking));

it("the first 20 invalid rows are listed, and the one that ended the reading as the last", () => {
  const end = wrong(99, { message: "no end of a quote" }, "file");
  expect(linesOf(factsOf(...rows(30)))).toEqual(rows(20).map((_row, i) => i + 1));
  expect(linesOf(factsOf(...rows(30), end)).slice(18)).toEqual([19, 99]);
});

it("words are counted without regard to case and blanks, long ones together", () => {
  const words = ["Dog", " dog ", "Cat", "7", "1E+18", "1,5E+18", "x".repeat(41)];
  const facts = factsOf(
    ...words.map((word, i) =>
      wrong(i, { unknown: new Map(), missing: [], wrong: new Map([["categoryId", word]]) }),
    ),
  );
  expect(sortedWords(facts.words.categoryId)).toEqual([
    { text: "Dog", count: 2 },
    { text: "Cat", count: 1 },
    { text: "*", count: 1 },
  ]);
});

it("rows that repeat a key are listed by line, up to 20 in all", () => {
  const facts = factsOf(...rows(19).filter(({ read }) => read.line !== 3));
  const state = "invalid" as const;
  const first = [3, 30, 31].map((line) => ({ number: line, line, keptLine: 1, state }));
  addRepeatedKeys(facts, { count: 5, first }, []);
  expect([facts.invalid, facts.kinds.get("repeated")?.count]).toEqual([23, 5]);
  expect(linesOf(facts)).toEqual([...rows(19).map((_row, i) => i + 1), 30]);
});
