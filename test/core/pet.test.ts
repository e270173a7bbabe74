import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { petStatuses } from "../../src/core/enums.ts";
import { parseExact } from "../../src/core/json/parse.ts";
import { stringifyExact } from "../../src/core/json/stringify.ts";
import { petRules } from "../../src/core/pet-fields.ts";
import { decode, decodePets, newPetSchema, petSchema } from "../../src/core/pet.ts";

const rex = '{"id":1,"name":"Rex","categoryId":2}';
const decodePet = (value: unknown) => decode(petSchema, value);
const decodeNewPet = (value: unknown) => decode(newPetSchema(petRules), value);

describe("petSchema", () => {
  it.each([
    '{"id":-9223372036854775808,"name":"","categoryId":9223372036854775807,"status":"sold"}',
    '{"id":0,"name":"\\u0000","categoryId":9007199254740993}',
  ])("decodes %s digit for digit", (text) => {
    const decoded = decodePet(parseExact(text));
    expect("value" in decoded && stringifyExact(decoded.value)).toBe(text);
  });

  it.each<[string, readonly string[]]>([
    ['{"id":1.0,"name":"a","categoryId":1}', ["id"]],
    ['{"id":1e3,"name":"a","categoryId":1}', ["id"]],
    ['{"id":"1","name":"a","categoryId":1}', ["id"]],
    ['{"id":9223372036854775808,"name":"a","categoryId":1}', ["id"]],
    ['{"id":null,"name":"a","categoryId":1}', ["id"]],
    ['{"id":1,"categoryId":1}', ["name"]],
    ['{"id":1,"name":5,"categoryId":1}', ["name"]],
    ['{"id":1,"name":"a"}', ["categoryId"]],
    ['{"id":1,"name":"a","categoryId":true}', ["categoryId"]],
    ['{"id":1,"name":"a","categoryId":1,"status":"lost"}', ["status"]],
    ['{"id":1,"name":"a","categoryId":1,"status":null}', ["status"]],
    ['{"id":1,"name":"a","categoryId":1,"status":""}', ["status"]],
    ['{"__proto__":{"id":1},"name":"a","categoryId":1}', ["id"]],
    ["[]", []],
  ])("refuses %s at %j", (text, path) => {
    expect(decodePet(parseExact(text))).toMatchObject({ violation: { path } });
  });
});

describe("decodePets", () => {
  it("accepts an empty list, and drops unknown fields", () => {
    expect(decodePets([], 100)).toEqual({ value: [] });
    const text = rex.replace("{", '{"x":1.0,"__proto__":{"status":"z"},');
    expect(decodePets(parseExact(`[${text}]`), 100)).toEqual({
      value: [{ id: 1n, name: "Rex", categoryId: 2n }],
    });
  });

  it.each<[string, readonly PropertyKey[], string]>([
    ["{}", [], "must be an array"],
    ["null", [], "must be an array"],
    [rex, [], "must be an array"],
    [`[${rex},3]`, [1], "must be an object"],
    [`[${rex},[]]`, [1], "must be an object"],
    [`[${rex},null]`, [1], "must be an object"],
    ['[{"name":"a","categoryId":1}]', [0, "id"], "must be a 64-bit integer"],
    [
      `[${rex},${rex},{"id":1,"name":"a","categoryId":1.0}]`,
      [2, "categoryId"],
      "must be a 64-bit integer",
    ],
    [`[{"id":1,"name":7,"categoryId":1},0]`, [0, "name"], "must be a string"],
    [
      '[{"id":1,"name":"a","categoryId":1,"status":0}]',
      [0, "status"],
      "must be available, pending, sold or left out",
    ],
  ])("refuses %s at %j: %s", (text, path, rule) => {
    const violation = { path, rule: expect.stringContaining(rule) };
    expect(decodePets(parseExact(text), 100)).toEqual({ violation });
  });
});

describe("newPetSchema", () => {
  it.each<[string, string]>([
    ['{"categoryId":1}', "name"],
    ['{"name":" \\t\\u3000","categoryId":1}', "name"],
    ['{"name":7,"categoryId":false,"status":0}', "name"],
    ['{"name":"a","categoryId":"1"}', "categoryId"],
    ['{"name":"a","categoryId":1,"status":"Sold"}', "status"],
  ])("reports %s with the given words for %s", (text, field) => {
    const schema = newPetSchema({
      name: "the name",
      categoryId: "the categoryId",
      status: "the status",
    });
    expect(decode(schema, parseExact(text))).toEqual({
      violation: { path: [field], rule: `the ${field}` },
    });
  });
});

function isInt64(value: unknown): boolean {
  return typeof value === "bigint"
    ? BigInt.asIntN(64, value) === value
    : Number.isSafeInteger(value);
}

/** Returns the first field that breaks a rule of an animal, written by hand for the fields that both have. */
function brokenField(value: unknown, rules: "pet" | "new"): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "";
  const { id, name, categoryId, status } = value as Record<string, unknown>;
  if (rules === "pet" && !isInt64(id)) return "id";
  if (typeof name !== "string" || (rules === "new" && name.trim() === "")) return "name";
  if (!isInt64(categoryId)) return "categoryId";
  const isStatus = status === undefined || petStatuses.some((each) => each === status);
  return isStatus ? undefined : "status";
}

const field = fc.oneof(
  fc.constantFrom("available", "sold", "", " ", "Sold", "9223372036854775807", "__proto__"),
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
    more: field,
  },
  { requiredKeys: ["id", "name", "categoryId"] },
);

it.each([
  ["pet", decodePet],
  ["new", decodeNewPet],
] as const)("the schema (%s) accepts and refuses just what the rules do", (rules, run) => {
  fc.assert(
    fc.property(fc.oneof(nearly, right, fc.anything()), (value) => {
      const decoded = run(value);
      const refused = "violation" in decoded ? String(decoded.violation.path[0] ?? "") : undefined;
      expect(refused).toBe(brokenField(value, rules));
      if (!("value" in decoded)) return;
      const { id, name, categoryId, status } = Object(value);
      const fields = { name, categoryId: BigInt(categoryId), ...(status && { status }) };
      expect(decoded.value).toEqual(rules === "pet" ? { id: BigInt(id), ...fields } : fields);
    }),
    { numRuns: 2000 },
  );
});
