import {
  array,
  assert,
  asyncProperty,
  bigInt,
  boolean,
  constantFrom,
  nat,
  option,
  record,
  string,
} from "fast-check";
import { stringify } from "csv-stringify/sync";
import { describe, expect, it } from "vitest";
import { int64Max, int64Min } from "../../../src/core/int64.ts";
import type { NewPet } from "../../../src/core/pet.ts";
import { petStatuses } from "../../../src/core/enums.ts";
import { Utf8Text } from "../../../src/bulk/input/utf8.ts";
import { readCsv } from "../../../src/bulk/input/csv.ts";
import { readJson } from "../../../src/bulk/input/json-array.ts";
import { readNdjson } from "../../../src/bulk/input/ndjson.ts";
import type { ReadRow } from "../../../src/bulk/types.ts";
import { stringifyExact } from "../../../src/core/json/stringify.ts";

const readers = { ndjson: readNdjson, json: readJson, csv: readCsv };

const name = string({
  unit: constantFrom(
    "a",
    " ",
    "é",
    "😀",
    "日",
    "\n",
    "\r",
    "\r\n",
    '"',
    '""',
    ",",
    ";",
    "\t",
    "'",
    "=",
    "\uFEFF",
    "\u2028",
    "\\",
    "{",
    "[",
    "]",
    "}",
    ":",
    "0",
  ),
  maxLength: 12,
}).filter((text) => text.trim() !== "");

const pet = record({
  name,
  categoryId: bigInt(int64Min, int64Max),
  status: option(constantFrom(...petStatuses), { nil: undefined }),
}).map(({ name: text, categoryId, status }): NewPet => {
  const one = { name: text, categoryId };
  return status === undefined ? one : Object.assign(one, { status });
});

const pets = array(pet, { maxLength: 8 });

/** Where the bytes are cut. */
const cuts = array(nat(400), { maxLength: 12 });

async function* cut(text: string, places: readonly number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  let from = 0;
  for (const place of [...places].sort((a, b) => a - b)) {
    if (place > from && place < bytes.length) yield bytes.subarray(from, place);
    if (place > from && place < bytes.length) from = place;
  }
  yield bytes.subarray(from);
}

async function read(format: keyof typeof readers, text: string, places: readonly number[]) {
  const rows: ReadRow[] = [];
  const options = { ignoreUnknown: false };
  for await (const batch of readers[format](new Utf8Text(cut(text, places)), options))
    rows.push(...batch);
  return rows;
}

const rowsOf = (expected: readonly NewPet[], lines: readonly number[]): readonly ReadRow[] =>
  expected.map((one, index) => ({ index, line: lines[index] ?? 0, pet: one }));

const linesIn = (text: string): number => text.split(/\r\n|\n|\r/).length;

const csvStyle = record({
  record_delimiter: constantFrom("\r\n", "\n"),
  delimiter: constantFrom(",", ";", "\t"),
  quoted: boolean(),
  quoted_empty: boolean(),
  quoted_string: boolean(),
  bom: boolean(),
  header: boolean(),
  eof: boolean(),
});

describe("any animals, however their bytes are cut", () => {
  it("come in as they are from CSV that a spreadsheet writes", async () => {
    await assert(
      asyncProperty(pets, csvStyle, cuts, boolean(), async (expected, style, places, isShort) => {
        const columns = isShort
          ? ["categoryId", "name", "status"]
          : ["name", "status", "id", "categoryId"];
        const records = expected.map((one) => columns.map((field) => Object(one)[field] ?? ""));
        // A spreadsheet quotes every kind of line end.
        const options = {
          ...style,
          header: false,
          quoted_match: /[\r\n]/,
          cast: { bigint: String },
        };
        const text = stringify([columns, ...records], options);
        let line = 1;
        const lines = [columns, ...records].map((cells) => {
          const start = line;
          line += cells.reduce((sum, cell) => sum + linesIn(String(cell)) - 1, 1);
          return start;
        });
        expect(await read("csv", text, places)).toEqual(rowsOf(expected, lines.slice(1)));
      }),
      { numRuns: 500 },
    );
  });

  it("come in as they are from NDJSON", async () => {
    const style = record({
      end: constantFrom("\n", "\r\n", "\r"),
      blank: boolean(),
      bom: boolean(),
      eof: boolean(),
    });
    await assert(
      asyncProperty(pets, style, cuts, async (expected, { end, blank, bom, eof }, places) => {
        const gap = blank ? `${end} \t${end}` : "";
        const text = expected.map((one) => gap + stringifyExact(one)).join(end);
        const lines = expected.map((_one, index) => (blank ? 3 * index + 3 : index + 1));
        const found = await read("ndjson", (bom ? "\uFEFF" : "") + text + (eof ? end : ""), places);
        expect(found).toEqual(rowsOf(expected, lines));
      }),
      { numRuns: 500 },
    );
  });

  it("come in as they are from a JSON array", async () => {
    await assert(
      asyncProperty(pets, nat(3), boolean(), cuts, async (expected, indent, bom, places) => {
        const text = stringifyExact(expected, indent);
        const found = await read("json", (bom ? "\uFEFF" : "") + text, places);
        expect(found).toEqual(
          rowsOf(
            expected,
            expected.map((_one, index) => index + 1),
          ),
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe("any text at all", () => {
  const anything = string({
    unit: constantFrom(
      "{",
      "}",
      "[",
      "]",
      '"',
      ",",
      ":",
      "\\",
      "\n",
      "\r",
      " ",
      "name",
      "categoryId",
      '{"name":"x","categoryId":1}',
      "1",
      "-",
      ".",
      "e",
      "t",
      "true",
      "null",
      "u",
      "é",
    ),
    maxLength: 24,
  });

  const onceReadOtherwise = ["[-1\n", "[-1\n}", "[{\r\n", "[truename{"];

  it.each(["ndjson", "json", "csv"] as const)(
    "is read the same however it is cut: %s",
    async (format) => {
      await assert(
        asyncProperty(anything, cuts, async (text, places) => {
          const whole = await read(format, text, []);
          expect(await read(format, text, places)).toEqual(whole);
          const every = Array.from({ length: 200 }, (_, place) => place);
          expect(await read(format, text, every)).toEqual(whole);
        }),
        { numRuns: 500, examples: onceReadOtherwise.map((text): [string, number[]] => [text, []]) },
      );
    },
  );

  it("is a JSON array of rows exactly when JSON.parse takes it", async () => {
    await assert(
      asyncProperty(anything, async (text) => {
        const rows = await read("json", `[${text}]`, []);
        const isValid = ((): boolean => {
          try {
            JSON.parse(`[${text}]`);
            return true;
          } catch {
            return false;
          }
        })();
        const told = rows.some(
          (row) => "message" in row && row.message.startsWith("is not valid JSON"),
        );
        expect(told).toBe(!isValid);
      }),
      { numRuns: 1000 },
    );
  });
});
