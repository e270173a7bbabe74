import * as fc from "fast-check";
import { expect, it } from "vitest";
import { jsonWriter, ndjsonWriter } from "../../../src/output/formats/json.ts";
import { anyPet, huge, odd, rex, textOf } from "../pets.ts";

const pets = fc.array(anyPet, { maxLength: 5 });
const json = '"name":"a\\"b,\\t\\r\\n\\\\\\u001b\\u202e"';

it.each([
  [
    [rex, huge],
    {},
    '[{"id":7,"name":"Rex","categoryId":3,"status":"available"},{"id":9223372036854775807,"name":"Ada","categoryId":-9223372036854775808}]\n',
  ],
  [[rex], { single: true, fields: ["name", "id"] }, '{"name":"Rex","id":7}\n'],
  [[huge], { fields: ["status"] }, "[{}]\n"],
  [[rex], { terminal: true, fields: ["id"] }, '[\n  {\n    "id": 7\n  }\n]\n'],
  [[odd], { fields: ["name"] }, `[{${json}}]\n`],
  [[odd], { fields: ["name"], color: true }, `[{${json}}]\n`],
  [[], {}, "[]\n"],
  [[], { single: true }, "{}\n"],
  [[{ a: [1] }], { whole: true }, '[{"a":[1]}]\n'],
] as const)("renderJson of %o with %o", (records, changes, text) => {
  expect(textOf(jsonWriter, records, changes)).toBe(text);
});

it.each([
  [[rex, odd], { fields: ["name"], terminal: true }, `{"name":"Rex"}\n{${json}}\n`],
  [[], {}, ""],
] as const)("renderNdjson of %o with %o", (records, changes, text) => {
  expect(textOf(ndjsonWriter, records, changes)).toBe(text);
});

const exact = (_key: string, value: unknown, { source }: { source?: string }) =>
  typeof value === "number" ? BigInt(source ?? "") : value;

it.each([
  ["json", jsonWriter],
  ["ndjson", ndjsonWriter],
] as const)("%s is read back as it was, without a raw control character", (name, writer) => {
  fc.assert(
    fc.property(pets, fc.boolean(), (records, terminal) => {
      const text = textOf(writer, records, { terminal });
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      const array = name === "json" ? text : `[${text.trimEnd().replaceAll("\n", ",")}]`;
      expect(JSON.parse(array, exact)).toEqual(records);
    }),
  );
});
