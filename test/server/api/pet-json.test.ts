import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { petStatuses } from "../../../src/core/enums.ts";
import { int64Max, int64Min } from "../../../src/core/int64.ts";
import { parseExact } from "../../../src/core/json/parse.ts";
import type { ApiError } from "../../../src/server/api/errors.ts";
import { petJson, parseNewPet } from "../../../src/server/api/pet-json.ts";

const read = (text: string) => parseNewPet(Buffer.from(text));

/** Returns the invalid field, or what was read. */
const blamed = (bytes: Uint8Array): unknown => {
  try {
    return parseNewPet(bytes);
  } catch (error) {
    expect(error).toMatchObject({ status: 400, code: "bad_request" });
    const [word] = (error as ApiError).message.split(" ");
    return word === "the" ? undefined : word;
  }
};

describe("parseNewPet", () => {
  it.each([
    ['{"name":"a","categoryId":1}', { name: "a", categoryId: 1n }],
    ['{"name":"a","categoryId":-0}', { name: "a", categoryId: 0n }],
    [
      '{"name":" a ","categoryId":1,"status":"sold"}',
      { name: " a ", categoryId: 1n, status: "sold" },
    ],
    ['{"name":"a","categoryId":9223372036854775807}', { name: "a", categoryId: int64Max }],
    ['{"name":"a","categoryId":-9223372036854775808}', { name: "a", categoryId: int64Min }],
    ['{"name":"a","categoryId":9007199254740993}', { name: "a", categoryId: 9007199254740993n }],
    ['{"id":7,"name":"a","categoryId":1,"x":{"y":[1.5]}}', { name: "a", categoryId: 1n }],
    ['\uFEFF{"name":"a","categoryId":1}', { name: "a", categoryId: 1n }],
    ['{"name":"a","name":"b","categoryId":1}', { name: "b", categoryId: 1n }],
    ['{"__proto__":{"status":"x"},"name":"a","categoryId":1}', { name: "a", categoryId: 1n }],
    [
      `{"name":"a","categoryId":1,"x":${"[".repeat(30_000)}${"]".repeat(30_000)}}`,
      { name: "a", categoryId: 1n },
    ],
    ['{"name":"\\u0001\\ud83d\\udc3e","categoryId":1}', { name: "\u0001🐾", categoryId: 1n }],
  ])("takes %.60s", (text, pet) => {
    expect(read(text)).toEqual(pet);
  });

  it.each<readonly [string, string | undefined]>([
    ["", undefined],
    ["{", undefined],
    ["null", undefined],
    ["[]", undefined],
    ["1", undefined],
    ['"a"', undefined],
    ["[".repeat(60_000), undefined],
    ['\uFEFF\uFEFF{"name":"a","categoryId":1}', undefined],
    ['{"categoryId":1}', "name"],
    ['{"name":"","categoryId":1}', "name"],
    ['{"name":" \\t\\n\u3000","categoryId":1}', "name"],
    ['{"name":7,"categoryId":1}', "name"],
    ['{"name":null,"categoryId":1}', "name"],
    ['{"name":["a"],"categoryId":1}', "name"],
    ['{"name":"a\\u0000","categoryId":1}', "name"],
    ['{"name":"\\ud800","categoryId":1}', "name"],
    ['{"name":"\\udc3e\\ud83d","categoryId":1}', "name"],
    ['{"name":"a"}', "categoryId"],
    ...`null "3" 1.5 1.0 1e3 1E3 true [1] {} 9223372036854775808 -9223372036854775809 1e400 1${"0".repeat(400)}`
      .split(" ")
      .map((value) => [`{"name":"a","categoryId":${value}}`, "categoryId"] as const),
    ...'null "Sold" "" 1 ["sold"] "lost"'
      .split(" ")
      .map((value) => [`{"name":"a","categoryId":1,"status":${value}}`, "status"] as const),
  ])("refuses %.60s", (text, field) => {
    expect(blamed(Buffer.from(text))).toBe(field);
  });

  it.each([
    ["a byte that is not UTF-8", [0x7b, 0xff, 0x7d]],
    [
      "an encoded surrogate",
      [...Buffer.from('{"name":"'), 0xed, 0xa0, 0x80, ...Buffer.from('","categoryId":1}')],
    ],
  ])("refuses %s", (_what, bytes) => {
    expect(blamed(Buffer.from(bytes))).toBeUndefined();
  });
});

it("petJson writes what parseNewPet reads, digit for digit", () => {
  const name = fc
    .string({ unit: "grapheme", minLength: 1 })
    .filter((text) => text.trim() !== "" && !text.includes("\0"));
  const int64 = fc.bigInt({ min: int64Min, max: int64Max });
  const status = fc.option(fc.constantFrom(...petStatuses), { nil: undefined });
  fc.assert(
    fc.property(
      name,
      int64,
      status,
      fc.bigInt({ min: 1n, max: int64Max }),
      (text, categoryId, s, id) => {
        const pet = { name: text, categoryId, ...(s !== undefined && { status: s }) };
        const json = petJson(id, pet);
        expect(read(json)).toEqual(pet);
        expect(String((parseExact(json) as { id: unknown }).id)).toBe(String(id));
      },
    ),
  );
});
