import { describe, expect, it } from "vitest";
import { add } from "../../../src/commands/add.ts";
import { readTyped } from "../../support/command/typed.ts";

const read = (...words: string[]): object => readTyped(add, words);

describe("the options of pets add --from", () => {
  it.each<[string[], object]>([
    [[], {}],
    [
      ["--map", "Tier = Art=name", "--map", " Kategorie=Category"],
      { map: ["Tier = Art=name", " Kategorie=Category"] },
    ],
    [["--reserve", "0"], { reserve: 0 }],
    [["--reserve", "90%"], { reserve: 90 }],
    [["--rate", "60/min"], { rate: 1000 }],
    [["--rate", "5/s"], { rate: 200 }],
    [["--rate", "100/h"], { rate: 36_000 }],
    [
      ["--value", "category:Dog=1", "--value", "status:*=sold", "--ignore-fields"],
      { value: ["category:Dog=1", "status:*=sold"], ignoreFields: true },
    ],
    [["--no-header", "--skip-lines", "3"], { header: false, skipLines: 3 }],
    [["--encoding", "latin1"], { encoding: "windows-1252" }],
  ])("%j are read", (words, expected) => {
    const input = { from: "new.csv", concurrency: 8, header: true, ...expected };
    expect(read("--from", "new.csv", ...words)).toEqual(input);
  });

  it.each([
    [["--concurrency", "8"], "--concurrency"],
    [["--no-header"], "--no-header"],
    [["--again"], "--again"],
  ])("%j are rejected without --from", (words, flag) => {
    expect(() => read(...words)).toThrow(
      new RegExp(`'${flag}\\b.*' cannot be used without option '--from <file>'`),
    );
  });

  it.each<[string[], string]>([
    [["--status", "gone"], '--status must be available, pending or sold, not "gone"'],
    [["--skip-lines", "0"], "--skip-lines must be from 1 to 1,000,000"],
    [["--encoding", "klingon"], "--encoding must be an encoding such as latin1"],
    [
      ["--format", "CSV"],
      '--format must be ndjson, json, csv, tsv or xlsx, not "CSV"; did you mean "csv"?',
    ],
    [["--again", "--only-new"], "option '--again' cannot be used with option '--only-new'"],
    ...["--again", "--retry-unknown", "--dry-run"].map((flag): [string[], string] => [
      ["--check-unknown", flag],
      "option '--check-unknown' cannot be used with",
    ]),
    ...["91%", "-1", "1.5%", "20 %", "020%", "%", ""].map((text): [string[], string] => [
      ["--reserve", text],
      `--reserve must be a percentage from 0% to 90%, not "${text}"`,
    ]),
    ...["60", "0/s", "60/m", "1.5/s", "60 / min", "/s", ""].map((text): [string[], string] => [
      ["--rate", text],
      `--rate must be rows per s, min or h, such as 60/min, not "${text}"`,
    ]),
    [["--from", ""], '--from must be a file name, not ""'],
    [["--concurrency", "65"], '--concurrency must be from 1 to 64, not "65"'],
    [["--concurrency", "eight"], '--concurrency must be an integer, not "eight"'],
  ])("%j are rejected with --from", (words, message) => {
    expect(() => read("--from", "a.csv", ...words)).toThrow(message);
  });
});
