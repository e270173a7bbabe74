import { describe, expect, it } from "vitest";
import type { InputFormat } from "../../../src/imports/types.ts";
import { fileOf, openAt } from "../support/input.ts";

describe("the format", () => {
  it.each<readonly [string, string, InputFormat | undefined, InputFormat]>([
    ["a.ndjson", "x", undefined, "ndjson"],
    ["a.JSONL", "[", undefined, "ndjson"],
    ["a.b.Json", "{", undefined, "json"],
    ["a.csv", "{", undefined, "csv"],
    ["a.csv", "x", "json", "json"],
    ["a.txt", "\uFEFF \n\r\t[", undefined, "json"],
    ["a", `${" ".repeat(100_000)}{`, undefined, "ndjson"],
    ["json", "name,", undefined, "csv"],
    [".csv", "", undefined, "csv"],
    ["a.TSV", "x", undefined, "tsv"],
    ["a", "\uFEFFid\tname\tcategoryId\tstatus\n", undefined, "tsv"],
    ["a", "categoryId\tname", undefined, "tsv"],
    ["a", "id\tname\tcategoryId\r\n", undefined, "csv"],
    ["a", "Name\tcategoryId\n", undefined, "csv"],
    ["a.csv", "id\tname\tcategoryId\n", undefined, "csv"],
    ["a.txt", "", undefined, "csv"],
    ["a.toString", "", undefined, "csv"],
  ])("of %s with %.10j and --format %s is %s", async (name, content, format, found) => {
    const input = await openAt(fileOf(content, name), { ...(format !== undefined && { format }) });
    expect(input.format).toBe(found);
    input.close();
  });
});
