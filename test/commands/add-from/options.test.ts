import { describe, expect, it } from "vitest";
import { type RawFromOptions, readFromOptions } from "../../../src/commands/add-from/options.ts";
import { Failure } from "../../../src/core/errors.ts";

const plain = {
  file: "pets.csv",
  format: undefined,
  map: [],
  concurrency: 8,
  ignoreUnknown: false,
  retryUnknown: false,
  again: false,
  onlyNew: false,
  resume: false,
  checkUnknown: false,
  dryRun: false,
};

function messageOf(options: RawFromOptions, hasFields = false): string {
  try {
    readFromOptions(options, hasFields);
  } catch (error) {
    if (error instanceof Failure && error.kind === "usage") return error.message;
    throw error;
  }
  return "";
}

describe("readFromOptions", () => {
  it.each<[RawFromOptions, object]>([
    [{}, plain],
    [{ format: "ndjson" }, { ...plain, format: "ndjson" }],
    [{ format: "json" }, { ...plain, format: "json" }],
    [
      { map: ["Tier = Art=name", " Kategorie=Category"] },
      {
        ...plain,
        map: ["Tier = Art=name", " Kategorie=Category"],
      },
    ],
    [{ concurrency: "1" }, { ...plain, concurrency: 1 }],
    [{ concurrency: "64" }, { ...plain, concurrency: 64 }],
    [
      { ignoreUnknown: true, again: true },
      { ...plain, ignoreUnknown: true, again: true },
    ],
    [
      { retryUnknown: true, dryRun: true },
      { ...plain, retryUnknown: true, dryRun: true },
    ],
  ])("reads %j", (options, read) => {
    expect(readFromOptions({ from: ["pets.csv"], ...options }, false)).toEqual(read);
  });

  it("returns undefined without --from", () => {
    expect(readFromOptions({ name: "Rex", category: "1", status: "sold" }, true)).toBeUndefined();
  });

  it.each<[RawFromOptions, string]>([
    [{ format: "csv" }, "--format"],
    [{ concurrency: "8" }, "--concurrency"],
    [{ map: ["a=name"] }, "--map"],
    [{ ignoreUnknown: true }, "--ignore-unknown"],
    [{ retryUnknown: true }, "--retry-unknown"],
    [{ again: true }, "--again"],
  ])("rejects %j without --from", (options, flag) => {
    expect(messageOf(options)).toBe(`${flag} needs --from`);
  });

  it.each<[RawFromOptions, string]>([
    [{ name: "Rex" }, "--name and --from can't be used together"],
    [{ category: "" }, "--category and --from can't be used together"],
    [{ status: "sold" }, "--status and --from can't be used together"],
    [{ from: [""] }, "--from must be a file, or - for standard input"],
    [{ from: ["a.csv", "b.csv"] }, "--from can be given only once"],
    [{ format: "xml" }, '--format must be one of ndjson, json, csv, tsv, not "xml"'],
    [{ format: "CSV" }, '--format must be one of ndjson, json, csv, tsv, not "CSV"'],
    ...["0", "65", "-1", "+8", "08", "1.0", "", "eight", "1e1"].map(
      (text): [RawFromOptions, string] => [
        { concurrency: text },
        `--concurrency must be a whole number from 1 to 64, not ${JSON.stringify(text)}`,
      ],
    ),
  ])("rejects %j with --from", (options, message) => {
    expect(messageOf({ from: ["pets.csv"], ...options })).toBe(message);
  });

  it("rejects --fields with --from", () => {
    expect(messageOf({ from: ["-"] }, true)).toBe("--fields and --from can't be used together");
  });
});
