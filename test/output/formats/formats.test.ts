import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Pet } from "../../../src/core/pet.ts";
import { outputFormats } from "../../../src/core/enums.ts";
import { renderRecords } from "../../../src/output/render.ts";
import { anyPet, anyText, huge, options, rex } from "../pets.ts";

type Format = (typeof outputFormats)[number];

const render = (
  format: Format,
  records: readonly object[],
  changes: Parameters<typeof options>[0] = {},
) => renderRecords(records, { ...options(changes), format });

const odd = { ...rex, name: 'a"b,\t\r\n\\\x1b\u202e' };
const json = '"name":"a\\"b,\\t\\r\\n\\\\\\u001b\\u202e"';

describe("renderRecords", () => {
  it.each([
    [
      "json",
      [rex, huge],
      {},
      '[{"id":7,"name":"Rex","categoryId":3,"status":"available"},{"id":9223372036854775807,"name":"Ada","categoryId":-9223372036854775808}]\n',
    ],
    ["json", [rex], { single: true, fields: ["name", "id"] }, '{"name":"Rex","id":7}\n'],
    ["json", [huge], { fields: ["status"] }, "[{}]\n"],
    ["json", [rex], { terminal: true, fields: ["id"] }, '[\n  {\n    "id": 7\n  }\n]\n'],
    ["json", [odd], { fields: ["name"] }, `[{${json}}]\n`],
    ["json", [odd], { fields: ["name"], color: true }, `[{${json}}]\n`],
    ["json", [], {}, "[]\n"],
    ["ndjson", [rex, odd], { fields: ["name"], terminal: true }, `{"name":"Rex"}\n{${json}}\n`],
    ["ndjson", [], {}, ""],
    [
      "csv",
      [rex, huge],
      {},
      "id,name,categoryId,status\r\n7,Rex,3,available\r\n9223372036854775807,Ada,-9223372036854775808,\r\n",
    ],
    ["csv", [odd], { fields: ["name", "id"] }, 'name,id\r\n"a""b,\t\r\n\\\x1b\u202e",7\r\n'],
    [
      "csv",
      [odd],
      { fields: ["name"], terminal: true },
      'name\r\n"a""b,\\t\\r\\n\\\\x1b\\u202e"\r\n',
    ],
    ["csv", [huge], { fields: ["status"] }, 'status\r\n""\r\n'],
    ["csv", [{ ...rex, name: "a\nb" }], { fields: ["name"] }, 'name\r\n"a\nb"\r\n'],
    ["csv", [{ ...rex, name: "a\rb" }], { fields: ["name"] }, 'name\r\n"a\rb"\r\n'],
    ["csv", [rex], { fields: ["id"], header: false }, "7\r\n"],
    ["csv", [], {}, "id,name,categoryId,status\r\n"],
    [
      "tsv",
      [rex, huge],
      {},
      "id\tname\tcategoryId\tstatus\n7\tRex\t3\tavailable\n9223372036854775807\tAda\t-9223372036854775808\t\n",
    ],
    ["tsv", [odd], { fields: ["name"] }, 'name\na"b,\\t\\r\\n\\\\\x1b\u202e\n'],
    ["tsv", [odd], { fields: ["name"], terminal: true }, 'name\na"b,\\t\\r\\n\\\\\\x1b\\u202e\n'],
    ["tsv", [rex], { fields: ["id"], header: false }, "7\n"],
    ["tsv", [], {}, "id\tname\tcategoryId\tstatus\n"],
    ["table", [rex], { fields: ["id"] }, "ID\n7\n"],
    ["table", [], {}, ""],
  ] as const)("%s of %o with %o", async (format, records, changes, text) => {
    expect(await render(format, records, changes)).toBe(text);
  });

  it("shows booleans and numbers as they are", async () => {
    const columns = [
      { field: "on", header: "ON", kind: "text" },
      { field: "count", header: "COUNT", kind: "number" },
    ] as const;
    const records = [{ on: false, count: 0 }];
    expect(await render("json", records, { columns })).toBe('[{"on":false,"count":0}]\n');
    expect(await render("csv", records, { columns })).toBe("on,count\r\nfalse,0\r\n");
    expect(await render("table", records, { columns })).toBe("ON     COUNT\nfalse  0\n");
  });

  it.each(outputFormats)("refuses in %s what has no text", async (format) => {
    await expect(render(format, [{ ...rex, name: {} }])).rejects.toThrow("name can't be shown");
  });
});

const shownFields = fc.subarray(["id", "name", "categoryId", "status"], { minLength: 1 });
const pets = fc.array(anyPet, { maxLength: 5 });
const expected = (records: readonly Pet[], fields: readonly string[]) =>
  records.map((pet) => fields.map((field) => String(Reflect.get(pet, field) ?? "").toWellFormed()));

const exact = (_key: string, value: unknown, { source }: { source?: string }) =>
  typeof value === "number" ? BigInt(source ?? "") : value;

describe("round trips", () => {
  it("of CSV, through csv-parse", async () => {
    await fc.assert(
      fc.asyncProperty(pets, shownFields, async (records, fields) => {
        const text = await render("csv", records, { fields });
        const [header, ...rows] = parse(text, { skip_empty_lines: true });
        expect(header).toEqual(fields);
        expect(rows).toEqual(expected(records, fields));
      }),
    );
  });

  it("of TSV", async () => {
    const plain: Record<string, string> = { t: "\t", n: "\n", r: "\r", "\\": "\\" };
    const unescape = (text: string) =>
      text.replace(/\\(.)/g, (_, letter: string) => plain[letter] ?? "?");
    await fc.assert(
      fc.asyncProperty(pets, shownFields, async (records, fields) => {
        const text = await render("tsv", records, { fields });
        const [header, ...rows] = text
          .split("\n")
          .slice(0, -1)
          .map((line) =>
            line
              .split("\t")
              .map(unescape)
              .map((cell) => cell.toWellFormed()),
          );
        expect(header).toEqual(fields);
        expect(rows).toEqual(expected(records, fields));
      }),
    );
  });

  it.each(["json", "ndjson"] as const)("of %s, without a raw control character", async (format) => {
    await fc.assert(
      fc.asyncProperty(pets, fc.boolean(), async (records, terminal) => {
        const text = await render(format, records, { terminal });
        expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
        const array = format === "json" ? text : `[${text.trimEnd().replaceAll("\n", ",")}]`;
        expect(JSON.parse(array, exact)).toEqual(records);
      }),
    );
  });

  it("of CSV and TSV on a terminal show no control character", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyText,
        fc.constantFrom("csv" as const, "tsv" as const),
        async (name, format) => {
          const text = await render(format, [{ ...rex, name }], { terminal: true });
          expect(text.replace(/\r?\n|\t/g, "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
          expect(text.trimEnd().split("\n")).toHaveLength(2);
        },
      ),
    );
  });
});
