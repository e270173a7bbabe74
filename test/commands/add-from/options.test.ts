import { describe, expect, it } from "vitest";
import { add } from "../../../src/commands/add.ts";
import { readTyped } from "../support/read-typed.ts";
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
    [["--ignore-unknown", "--again"], { ignoreUnknown: true, again: true }],
    [["--retry-unknown", "--dry-run"], { retryUnknown: true, dryRun: true }],
  ])("%j are read", async (words, expected) => {
    const input = { ...importInput(expected), words: [] };
    expect(await read("--from", "new.csv", ...words)).toEqual(input);
  });

  it.each([
    [["--format", "csv"], "--format"],
    [["--concurrency", "8"], "--concurrency"],
    [["--map", "a=name"], "--map"],
    [["--ignore-unknown"], "--ignore-unknown"],
    [["--retry-unknown"], "--retry-unknown"],
    [["--again"], "--again"],
  ])("%j are rejected without --from", async (words, flag) => {
    await expect(read(...words)).rejects.toThrow(`${flag} needs --from`);
  });

  it.each<[string[], string]>([
    [["--name", "Rex"], "--from and --name cannot be used together"],
    [["--category", "1"], "--from and --category cannot be used together"],
    [["--status", "sold"], "--from and --status cannot be used together"],
    [["--from", ""], "--from can be given only once"],
    [["--format", "xml"], '--format must be one of ndjson, json, csv, tsv, not "xml"'],
    [["--format", "CSV"], '--format must be one of ndjson, json, csv, tsv, not "CSV"'],
    [["--again", "--only-new"], "--again and --only-new cannot be used together"],
    ...["0", "65", "+8", "08", "1.0", "", "eight", "1e1"].map((text): [string[], string] => [
      ["--concurrency", text],
      `--concurrency must be a whole number from 1 to 64, not ${JSON.stringify(text)}`,
    ]),
  ])("%j are rejected with --from", async (words, message) => {
    await expect(read("--from", "a.csv", ...words)).rejects.toThrow(message);
  });

  it("rejects an empty file name", async () => {
    await expect(read("--from", "")).rejects.toThrow("--from must be a file, or - for standard");
  });
});
