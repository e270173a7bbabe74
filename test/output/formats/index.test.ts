import { describe, expect, it } from "vitest";
import { chooseFormat, hasJsonErrors } from "../../../src/output/formats/index.ts";

describe("chooseFormat", () => {
  it.each([
    [{}, {}, { format: "table", formatAsked: false }],
    [{}, { PETS_OUTPUT: "" }, { format: "table", formatAsked: false }],
    [{}, { PETS_OUTPUT: "tsv" }, { format: "tsv", formatAsked: true }],
    [{ output: "csv" }, { PETS_OUTPUT: "tsv" }, { format: "csv", formatAsked: true }],
    [{ output: "table" }, {}, { format: "table", formatAsked: true }],
    [{ json: true }, { PETS_OUTPUT: "tsv" }, { format: "json", formatAsked: true }],
    [{ json: true, output: "json" }, {}, { format: "json", formatAsked: true }],
  ])("of %j and %j is %j", (typed, env, expected) => {
    expect(chooseFormat(typed, env)).toEqual(expected);
  });

  it.each([
    [{ output: "" }, {}, '--output must be one of table, json, ndjson, csv, tsv, not ""'],
    [{ output: "JSON" }, {}, 'not "JSON"'],
    [{ output: "toString" }, {}, 'not "toString"'],
    [{}, { PETS_OUTPUT: "xml" }, "PETS_OUTPUT must be one of"],
    [{ json: true, output: "csv" }, {}, '--json and --output "csv" cannot be used together'],
    [{ json: true, output: "" }, {}, "cannot be used together"],
  ])("rejects %j and %j", (typed, env, message) => {
    expect(() => chooseFormat(typed, env)).toThrow(message);
  });
});

describe("hasJsonErrors", () => {
  it.each([
    [{}, undefined, false],
    [{}, "json", true],
    [{ output: "csv" }, "json", false],
    [{ output: "ndjson" }, undefined, true],
    [{ json: true, output: "csv" }, undefined, true],
    [{ output: "toString" }, undefined, false],
  ])("of %j and %s is %s", (typed, env, expected) => {
    expect(hasJsonErrors(typed, env)).toBe(expected);
  });
});
