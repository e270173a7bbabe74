import { describe, expect, it } from "vitest";
import { add } from "../../../src/commands/add.ts";
import { readTyped } from "../../cli/read-typed.ts";
import { importInput } from "./import-input.ts";

const read = (...words: string[]): Promise<object> => readTyped(add, words);

describe("the options of pets add --from", () => {
  it.each<[string[], object]>([
    [[], {}],
    [["--format", "ndjson"], { format: "ndjson" }],
    [
      ["--map", "Tier = Art=name", "--map", " Kategorie=Category"],
      { map: ["Tier = Art=name", " Kategorie=Category"] },
    ],
    [["--concurrency", "1"], { concurrency: 1 }],
    [["--concurrency", "64"], { concurrency: 64 }],
    [["--reserve", "20%"], { reserve: 20 }],
    [["--reserve", "0"], { reserve: 0 }],
    [["--reserve", "90%"], { reserve: 90 }],
    [["--rate", "60/min"], { rate: 1000 }],
    [["--rate", "5/s"], { rate: 200 }],
    [["--rate", "100/h"], { rate: 36_000 }],
    [["--ignore-fields", "--again"], { ignoreFields: true, again: true }],
    [
      ["--value", "category:Dog=1", "--value", "status:*=sold", "--ignore-fields"],
      { value: ["category:Dog=1", "status:*=sold"], ignoreFields: true },
    ],
    [["--no-header", "--skip-lines", "3"], { header: false, skipLines: 3 }],
    [["--items", "a.b", "--skip-invalid"], { items: "a.b", skipInvalid: true }],
    [["--encoding", "latin1"], { encoding: "windows-1252" }],
    [
      ["--name", "Stray", "--category", "7", "--status", "sold"],
      { name: "Stray", category: 7n, status: "sold" },
    ],
    [["--retry-unknown", "--dry-run"], { retryUnknown: true, dryRun: true }],
  ])("%j are read", async (words, expected) => {
    const input = { ...importInput(expected), words: [] };
    expect(await read("--from", "new.csv", ...words)).toEqual(input);
  });

  it.each([
    [["--format", "csv"], "--format"],
    [["--concurrency", "8"], "--concurrency"],
    [["--map", "a=name"], "--map"],
    [["--value", "status:x=sold"], "--value"],
    [["--no-header"], "--no-header"],
    [["--retry-unknown"], "--retry-unknown"],
    [["--again"], "--again"],
  ])("%j are rejected without --from", async (words, flag) => {
    await expect(read(...words)).rejects.toThrow(`${flag} needs --from`);
  });

  it.each<[string[], string]>([
    [["--status", "gone"], '--status must be one of available, pending, sold, not "gone"'],
    [["--skip-lines", "0"], "--skip-lines must be a whole number from 1 to"],
    [["--encoding", "klingon"], "--encoding must be an encoding such as latin1"],
    [["--from", ""], "--from can be given only once"],
    [["--format", "xml"], '--format must be one of ndjson, json, csv, tsv, not "xml"'],
    [["--format", "CSV"], '--format must be one of ndjson, json, csv, tsv, not "CSV"'],
    [["--again", "--only-new"], "--again and --only-new cannot be used together"],
    ...["91%", "-1", "1.5%", "20 %", "020%", "%", ""].map((text): [string[], string] => [
      ["--reserve", text],
      `--reserve must be a percentage from 0% to 90%, not ${JSON.stringify(text)}`,
    ]),
    ...["60", "0/s", "60/m", "1.5/s", "60 / min", "/s", ""].map((text): [string[], string] => [
      ["--rate", text],
      `--rate must be rows per s, min or h, such as 60/min, not ${JSON.stringify(text)}`,
    ]),
    ...["0", "65", "+8", "08", "1.0", "", "eight", "1e1"].map((text): [string[], string] => [
      ["--concurrency", text],
      `--concurrency must be a whole number from 1 to 64, not ${JSON.stringify(text)}`,
    ]),
  ])("%j are rejected with --from", async (words, message) => {
    await expect(read("--from", "a.csv", ...words)).rejects.toThrow(message);
  });

  it("rejects an empty file name", async () => {
    await expect(read("--from", "")).rejects.toThrow('--from must be a file name, not ""');
  });
});
