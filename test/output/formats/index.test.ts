import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type OutputFormatName, outputFormatNames } from "../../../src/core/enums.ts";
import { parseExact } from "../../../src/core/json/parse.ts";
import { fieldText, petColumns } from "../../../src/output/columns.ts";
import { hasJsonErrors, openStream } from "../../../src/output/formats/index.ts";
import { anyPet, anyText, fieldTexts, formatted, huge, odd, rex, someFields } from "../pets.ts";

const pets = fc.array(anyPet, { maxLength: 5 });
const oddJson = '"name":"a\\"b,\\t\\r\\n\\\\\\u001b\\u202e"';

describe("JSON", () => {
  it.each([
    [
      [rex, huge],
      {},
      '[{"id":7,"name":"Rex","categoryId":3,"status":"available"},{"id":9223372036854775807,"name":"Ada","categoryId":-9223372036854775808}]\n',
    ],
    [rex, { fields: ["name", "id"] }, '{"name":"Rex","id":7}\n'],
    [rex, { fields: ["id"], terminal: true }, '{\n  "id": 7\n}\n'],
    [[huge], { fields: ["status"] }, "[{}]\n"],
    [
      [rex, rex],
      { terminal: true, fields: ["id"] },
      '[\n  {\n    "id": 7\n  },\n  {\n    "id": 7\n  }\n]\n',
    ],
    [[odd], { fields: ["name"], color: true }, `[{${oddJson}}]\n`],
    [[], { terminal: true }, "[]\n"],
    [{}, {}, "{}\n"],
    [[{ a: [1] }], {}, '[{"a":[1]}]\n'],
  ])("of %o with %o", async (records, changes, text) => {
    expect(await formatted("json", records, changes)).toBe(text);
  });

  it("is one line a record as NDJSON", async () => {
    const changes = { fields: ["name"], terminal: true };
    expect(await formatted("ndjson", [rex, odd], changes)).toBe(`{"name":"Rex"}\n{${oddJson}}\n`);
  });

  it.each(["json", "ndjson"] as const)(
    "is read back from %s as it was, without a raw control character",
    async (format) => {
      await fc.assert(
        fc.asyncProperty(pets, fc.boolean(), async (records, terminal) => {
          const text = await formatted(format, records, { terminal });
          expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
          const array = format === "json" ? text : `[${text.trimEnd().replaceAll("\n", ",")}]`;
          const read = parseExact(array) as { id: unknown }[];
          expect(read.map(({ id }) => String(id))).toEqual(records.map(({ id }) => String(id)));
          expect(JSON.parse(array)).toMatchObject(records.map(({ name }) => ({ name })));
        }),
      );
    },
  );
});

describe("TSV", () => {
  it.each([
    [
      [rex, huge],
      {},
      "id\tname\tcategoryId\tstatus\n7\tRex\t3\tavailable\n9223372036854775807\tAda\t-9223372036854775808\t\n",
    ],
    [[odd], { fields: ["name"] }, 'name\na"b,\\t\\r\\n\\\\\x1b\u202e\n'],
    [[odd], { fields: ["name"], terminal: true }, 'name\na"b,\\t\\r\\n\\\\\\x1b\\u202e\n'],
  ])("of %o with %o", async (records, changes, text) => {
    expect(await formatted("tsv", records, changes)).toBe(text);
  });

  it("is read back unchanged", async () => {
    const plain: Record<string, string> = { t: "\t", n: "\n", r: "\r", "\\": "\\" };
    const cellOf = (text: string) =>
      text.replace(/\\(.)/g, (_, letter: string) => plain[letter] ?? "?").toWellFormed();
    await fc.assert(
      fc.asyncProperty(pets, someFields, async (records, fields) => {
        const text = await formatted("tsv", records, { fields });
        const lines = text.split("\n").slice(0, -1);
        const [header, ...rows] = lines.map((line) => line.split("\t").map(cellOf));
        expect(header).toEqual(fields);
        expect(rows).toEqual(fieldTexts(records, fields));
      }),
    );
  });
});

describe("CSV", () => {
  it.each([
    [
      [rex, huge],
      {},
      "id,name,categoryId,status\r\n7,Rex,3,available\r\n9223372036854775807,Ada,-9223372036854775808,\r\n",
    ],
    [[odd], { fields: ["name", "id"] }, 'name,id\r\n"a""b,\t\r\n\\\x1b\u202e",7\r\n'],
    [[odd], { fields: ["name"], terminal: true }, 'name\r\n"a""b,\\t\\r\\n\\\\x1b\\u202e"\r\n'],
    [[huge], { fields: ["status"] }, 'status\r\n""\r\n'],
    [[{ ...rex, name: "a\nb" }], { fields: ["name"] }, 'name\r\n"a\nb"\r\n'],
    [[{ ...rex, name: "a\rb" }], { fields: ["name"] }, 'name\r\n"a\rb"\r\n'],
  ])("of %o with %o", async (records, changes, text) => {
    expect(await formatted("csv", records, changes)).toBe(text);
  });

  it("is read back by csv-parse", async () => {
    await fc.assert(
      fc.asyncProperty(pets, someFields, async (records, fields) => {
        const [header, ...rows] = parse(await formatted("csv", records, { fields }), {
          skip_empty_lines: true,
        });
        expect(header).toEqual(fields);
        expect(rows).toEqual(fieldTexts(records, fields));
      }),
    );
  });
});

it.each(["csv", "tsv"] as const)("%s shows no control character on a terminal", async (format) => {
  await fc.assert(
    fc.asyncProperty(anyText, async (name) => {
      const text = await formatted(format, [{ ...rex, name }], { terminal: true });
      expect(text.replace(/\r?\n|\t/g, "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      expect(text.trimEnd().split("\n")).toHaveLength(2);
    }),
  );
});

it.each<[OutputFormatName, string, string]>([
  ["table", "ID\n7\n", ""],
  ["json", '[{"id":7}]\n', "[]\n"],
  ["ndjson", '{"id":7}\n', ""],
  ["csv", "id\r\n7\r\n", "id\r\n"],
  ["tsv", "id\n7\n", "id\n"],
])("%s of one record is %j, of none %j", async (format, one, none) => {
  expect(await formatted(format, [rex], { fields: ["id"] })).toBe(one);
  expect(await formatted(format, [], { fields: ["id"] })).toBe(none);
});

it.each(outputFormatNames)("%s is the same record by record", async (format) => {
  const options = { format, columns: petColumns, terminal: false, color: false };
  const sized = [rex, { ...rex, name: "x".repeat(20), categoryId: 12345678n, id: 123456n }];
  const stream = await openStream(options);
  const text = [stream.add([]), ...sized.map((pet) => stream.add([pet])), stream.end()].join("");
  expect(text).toBe(await formatted(format, sized));
});

it.each<[unknown, string]>([
  ["", ""],
  [2n ** 63n - 1n, "9223372036854775807"],
  [undefined, ""],
  [null, ""],
  [{ inner: { count: 1n } }, '{"inner":{"count":1}}'],
])("shows %o as %s", (value, text) => {
  expect(fieldText({ key: value }, "key")).toBe(text);
});

it.each([
  [{}, undefined, false],
  [{}, "json", true],
  [{ output: "csv" }, "json", false],
  [{ output: "ndjson" }, undefined, true],
  [{ json: true, output: "csv" }, undefined, true],
  [{ output: "toString" }, undefined, false],
])("errors with %j and PETS_OUTPUT=%s are JSON: %s", (typed, env, expected) => {
  expect(hasJsonErrors(typed, env)).toBe(expected);
});
