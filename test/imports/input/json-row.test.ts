import { describe, expect, it } from "vitest";
import { JsonRow } from "../../../src/imports/input/json-row.ts";
import { JsonTokens } from "../../../src/imports/input/json-tokens.ts";

const position = { index: 0, line: 1 };

/** Returns the row of one JSON value whose text comes in these pieces. */
function read(...pieces: readonly string[]) {
  const reader = new JsonTokens();
  const row = new JsonRow();
  let depth = 0;
  const batches = [...pieces.map((piece) => reader.push(piece)), reader.end()];
  for (const { tokens } of batches) {
    for (const token of tokens) {
      if (token.name === "endObject" || token.name === "endArray") depth -= 1;
      row.push(token, depth);
      if (token.name === "startObject" || token.name === "startArray") depth += 1;
    }
  }
  return row.read(position, { ignoreUnknown: true });
}

describe("JsonRow", () => {
  it.each<readonly [readonly string[], object]>([
    [['{"name":"Rex","categoryId":1}'], { name: "Rex", categoryId: 1n }],
    [
      Array.from('{"name":"\\u00e9\\n","categoryId":9007199254740993}'),
      { name: "é\n", categoryId: 9007199254740993n },
    ],
    [
      ['{"x":{"name":"a","x":[{}]},"name":"Rex","y":[1,"b"],"categoryId":2,"status":"sold"}'],
      { name: "Rex", categoryId: 2n, status: "sold" },
    ],
    [['{"__proto__":{"status":"x"},"name":"Rex","categoryId":3}'], { name: "Rex", categoryId: 3n }],
  ])("reads %j", (pieces, pet) => {
    expect(read(...pieces)).toEqual({ ...position, pet });
  });

  it.each<readonly [string, string | undefined, string]>([
    ['{"name":"a","categoryId":1.0}', "categoryId", "not 1.0"],
    ['{"name":[1],"categoryId":1}', "name", "not an array"],
    ['{"name":"a","n\\u0061me":"b"}', "name", "is given twice"],
    ['{"x":1,"__proto__":1,"__proto__":2}', "__proto__", "is given twice"],
    ["[1,[2]]", undefined, "must be a JSON object, not an array"],
    ['"Rex"', undefined, 'not "Rex"'],
    ["1e3", undefined, "not 1e3"],
    ["null", undefined, "not null"],
    [`{"name":"${"x".repeat(1024 * 1024)}","categoryId":1}`, undefined, "must be 1 MiB at most"],
    [`{"x":["${"x".repeat(1024 * 1024)}"]}`, undefined, "must be 1 MiB at most"],
  ])("refuses %.40s", (text, field, message) => {
    expect(read(text)).toEqual({
      line: 1,
      ...(field !== undefined && { field }),
      message: expect.stringContaining(message),
    });
  });

  it("rejects a row with very many small fields, which would fill the memory", () => {
    const fields = Array.from({ length: 140_000 }, (_, index) => `"${index}":1`).join(",");
    expect(read(`{${fields}}`)).toEqual({ line: 1, message: "must be 1 MiB at most" });
  });
});
