import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { petViolation, petsViolation } from "../../src/core/pet-schemas.ts";
import { decodePet } from "../../src/core/pet-shapes.ts";
import { parseExact } from "../../src/core/json/parse.ts";

const rex = '{"id":1,"name":"Rex","categoryId":2}';

describe("brokenByPets", () => {
  it.each<[string, string, string]>([
    ["{}", "", "must be an array"],
    ["null", "", "must be an array"],
    [`[${rex},3]`, "[1]", "must be an object"],
    [`[${rex},[]]`, "[1]", "must be an object"],
    [`[${rex},null]`, "[1]", "must be an object"],
    ['[{"name":"a","categoryId":1}]', "[0].id", "must be an int64, in digits"],
    [`[${rex},${rex},${rex},{"id":1,"name":"a","categoryId":1.0}]`, "[3].categoryId", "int64"],
  ])("%s breaks at %j: %s", (text, place, rule) => {
    expect(petsViolation(parseExact(text))).toEqual({ place, rule: expect.stringContaining(rule) });
  });

  it("finds nothing in a list that keeps to the rules", () => {
    expect(petsViolation([])).toBeUndefined();
    expect(petsViolation(parseExact(`[${rex},${rex}]`))).toBeUndefined();
  });
});

describe("brokenByPet", () => {
  it.each<[string, string]>([
    ['{"id":1.0,"name":"a","categoryId":1}', "id"],
    ['{"id":1e3,"name":"a","categoryId":1}', "id"],
    ['{"id":"1","name":"a","categoryId":1}', "id"],
    ['{"id":9223372036854775808,"name":"a","categoryId":1}', "id"],
    ['{"id":null,"name":"a","categoryId":1}', "id"],
    ['{"id":1,"categoryId":1}', "name"],
    ['{"id":1,"name":5,"categoryId":1}', "name"],
    ['{"id":1,"name":"a"}', "categoryId"],
    ['{"id":1,"name":"a","categoryId":true}', "categoryId"],
    ['{"id":1,"name":"a","categoryId":1,"status":"lost"}', "status"],
    ['{"id":1,"name":"a","categoryId":1,"status":null}', "status"],
    ['{"id":1,"name":"a","categoryId":1,"status":""}', "status"],
    ['{"__proto__":{"id":1},"name":"a","categoryId":1}', "id"],
    ["[]", ""],
  ])("%s breaks at %j", (text, place) => {
    const value = parseExact(text);
    expect(petViolation(value)).toMatchObject({ place });
    expect(decodePet(value)).toBeUndefined();
  });

  const field = fc.oneof(
    fc.constantFrom("available", "sold", "", "Sold", "9223372036854775807", "__proto__"),
    fc.integer(),
    fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
    fc.double(),
    fc.constantFrom(null, true, undefined),
    fc.array(fc.integer()),
    fc.string(),
  );
  const nearly = fc.record(
    { id: field, name: field, categoryId: field, status: field, more: field },
    { requiredKeys: [] },
  );
  const right = fc.record(
    {
      id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      name: fc.string(),
      categoryId: fc.maxSafeInteger(),
      status: fc.constantFrom("available", "pending", "sold", undefined),
    },
    { requiredKeys: ["id", "name", "categoryId"] },
  );

  it("finds a rule broken in just those values that are taken for no animal", () => {
    fc.assert(
      fc.property(fc.oneof(nearly, right, fc.anything()), (value) => {
        expect(petViolation(value) === undefined).toBe(decodePet(value) !== undefined);
      }),
      { numRuns: 2000 },
    );
  });
});
