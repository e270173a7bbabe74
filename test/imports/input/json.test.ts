import { assert, asyncProperty, boolean, constantFrom, nat, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { stringifyExact } from "../../../src/core/json/stringify.ts";
import {
  anything,
  assertCutsMakeNoDifference,
  cuts,
  pets,
  readCut,
  rowsOf,
} from "../support/any-pets.ts";
import { faultsOf, read } from "../support/input.ts";
import { invalidRows, mebi, rex } from "../support/invalid-rows.ts";

describe("NDJSON", () => {
  const options = { format: "ndjson", ignoreFields: true } as const;

  describe("rows and their lines", () => {
    it.each<readonly [string, string | Uint8Array, readonly number[]]>([
      ["nothing", "", []],
      ["a byte-order mark alone", "\uFEFF", []],
      ["blank lines alone", " \n\t\r\n\r\f\n\u00A0\n", []],
      ["LF", `${rex}\n${rex}\n`, [1, 2]],
      ["no last line end", `${rex}\n${rex}`, [1, 2]],
      ["CRLF", `${rex}\r\n${rex}\r\n`, [1, 2]],
      ["CR", `${rex}\r${rex}\r`, [1, 2]],
      ["blank lines", `\n${rex}\r\n \t\r\n\r${rex}\n\n`, [2, 5]],
      ["a byte-order mark", `\uFEFF${rex}\n${rex}`, [1, 2]],
      ["blanks around", `  ${rex}\t\n`, [1]],
    ])("with %s", async (_what, content, lines) => {
      const rows = await read(content, options);
      expect(rows.map(({ line }) => line)).toEqual(lines);
      expect(rows.map(({ index }) => index)).toEqual(lines.map((_line, index) => index));
    });
  });

  describe("values", () => {
    it.each<readonly [string, object]>([
      [
        '{"name":" Ré\\n\\u0000 ","categoryId":-9223372036854775808,"status":"sold","id":"x"}',
        { name: " Ré\n\0 ", categoryId: -(2n ** 63n), status: "sold" },
      ],
      [
        '{"categoryId":-0,"name":"\\ud800","status":"pending","id":[{"id":1}]}',
        { name: "\ud800", categoryId: 0n, status: "pending" },
      ],
    ])("of %s", async (content, pet) => {
      expect((await read(content, { format: "ndjson" }))[0]?.pet).toStrictEqual(pet);
    });

    it("of unknown fields are dropped with --ignore-fields", async () => {
      const expected = { name: "Rex", categoryId: 1n };
      const json =
        '{"name":"Rex","age":[1,{"name":"x"}],"categoryId":1,"__proto__":{"status":"sold"}}';
      expect((await read(json, options))[0]?.pet).toStrictEqual(expected);
    });
  });

  describe("an invalid row", () => {
    it.each(invalidRows)("%s", async (row, fault) => {
      const faults = await faultsOf(`\n${row}\n${rex}`, { format: "ndjson" });
      expect(faults).toEqual([`2 ${fault}`]);
    });

    it.each([
      ["{", "2 invalid JSON: expected property name or '}'"],
      ['{"name":x}', "2 invalid JSON: unexpected token 'x'"],
      [`${rex} ${rex}`, "2 invalid JSON: unexpected non-whitespace character"],
      ["Rex", "2 must be a JSON object on one line, not Rex"],
      ["[\n]", "2 must be a JSON object on one line, not ["],
      [`${rex},`, "2 invalid JSON: unexpected non-whitespace character"],
      [`"${"x".repeat(mebi)}"`, "2 row longer than 1 MiB"],
      [`{"name":"${"é".repeat(mebi / 2)}","categoryId":1}`, "2 row longer than 1 MiB"],
      [Buffer.from([0x22, 0xff, 0x22]), "2 invalid UTF-8"],
      [Buffer.from([0x22, 0xe2, 0x82]), "2 invalid UTF-8"],
    ])("%.30s", async (row, fault) => {
      const content = Buffer.concat([
        Buffer.from(`${rex}\r\n`),
        Buffer.from(row),
        Buffer.from("\n"),
      ]);
      expect((await faultsOf(content, { format: "ndjson" }))[0]).toContain(fault);
    });

    it("may follow one that is far too long", async () => {
      const long = `{"name":"${"x".repeat(3 * mebi)}`;
      expect(await faultsOf(`${long}"}\n{}`, { format: "ndjson" })).toEqual([
        "1 row longer than 1 MiB",
        "2 name is missing; categoryId is missing",
      ]);
    });
  });

  describe("any animals, however their bytes are split,", () => {
    it("are read back as they were written", async () => {
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
          const found = readCut("ndjson", (bom ? "\uFEFF" : "") + text + (eof ? end : ""), places);
          expect(found).toEqual(rowsOf(expected, lines));
        }),
        { numRuns: 500 },
      );
    });
  });

  it("reads any text the same, however it is split", async () => {
    await expect(assertCutsMakeNoDifference("ndjson")).resolves.toBeUndefined();
  });
});

describe("a JSON array", () => {
  const options = { format: "json", ignoreFields: true } as const;

  describe("rows and their lines", () => {
    it.each<readonly [string, string | Uint8Array, readonly number[]]>([
      ["no elements", " [ ] ", []],
      ["places", `\uFEFF[${rex},\n\n\n${rex}\n,${rex}]\n`, [1, 2, 3]],
    ])("with %s", async (_what, content, lines) => {
      const rows = await read(content, options);
      expect(rows.map(({ line }) => line)).toEqual(lines);
      expect(rows.map(({ index }) => index)).toEqual(lines.map((_line, index) => index));
    });
  });

  it.each([
    ["", "is empty"],
    ["\uFEFF \n\t", "is empty"],
    [rex, "must be a JSON array of animals"],
    ["7", "must be a JSON array of animals"],
    ['{"data":[{}]}', 'must be a JSON array of animals, not an object with an array "data"'],
  ])("is missing in %j", async (content, message) => {
    await expect(read(content, { format: "json", name: "a.json" })).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(new RegExp(`a\\.json ${message}$`)),
    });
  });

  describe("an invalid row", () => {
    it.each(invalidRows)("%s", async (row, fault) => {
      const faults = await faultsOf(`[${rex},\n\n${row}, ${rex}]`, { format: "json" });
      expect(faults).toEqual([`2 ${fault}`]);
    });

    it.each([
      [`[${rex},${rex}`, "3 invalid JSON: unexpected end of file (line 1); the rest of the file"],
      [`[${rex},{"name":`, "2 invalid JSON: unexpected end of file (line 1)"],
      [`[${rex},\n ${rex}}`, '3 invalid JSON: unexpected "}" (line 2)'],
      [`[${rex},]`, '2 invalid JSON: unexpected "]"'],
      [`[${rex},{"name" "x"}]`, "2 invalid JSON: expected ':' after property name (line 1)"],
      [`[${rex}] x`, '2 invalid JSON: unexpected "x" (line 1'],
      [`[${rex}, tru]`, "2 invalid JSON: unexpected end of JSON input"],
      [
        `[${rex},\n{"name":"a\nb"}]`,
        "2 invalid JSON: bad control character in string literal (line 2)",
      ],
      ["[01]", "1 invalid JSON"],
      ['{"a" 1}', '1 invalid JSON: unexpected "1" (line 1)'],
      [`[\n"\\u12`, "1 invalid JSON: unexpected end of file (line 2)"],
      [
        `[${"[".repeat(20_000)}1.5${"]".repeat(20_001)}`,
        "1 JSON is nested more than 500 levels deep",
      ],
      [`[${rex},{"name":"${"x".repeat(mebi)}","categoryId":1},7]`, "2 row longer than 1 MiB"],
      [`[${"[".repeat(20_000)}`, "1 invalid JSON: unexpected end of file"],
      [Buffer.concat([Buffer.from(`[${rex},"`), Buffer.from([0xc3, 0x28])]), "2 invalid UTF-8"],
    ])("%.60s", async (content, fault) => {
      expect((await faultsOf(content, { format: "json" }))[0]).toContain(fault);
    });

    it("may follow one that is far too long", async () => {
      const long = `{"name":"${"x".repeat(3 * mebi)}`;
      expect(await faultsOf(`[${long}"},{}]`, { format: "json" })).toEqual([
        "1 row longer than 1 MiB",
        "2 name is missing; categoryId is missing",
      ]);
    });
  });

  describe("any animals, however their bytes are split,", () => {
    it("are read back as they were written", async () => {
      await assert(
        asyncProperty(pets, nat(3), boolean(), cuts, async (expected, indent, bom, places) => {
          const text = stringifyExact(expected, indent);
          const found = readCut("json", (bom ? "\uFEFF" : "") + text, places);
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

  const onceReadOtherwise = ["[-1\n", "[-1\n}", "[{\r\n", "[truename{"];

  it("reads any text the same, however it is split", async () => {
    await expect(assertCutsMakeNoDifference("json", onceReadOtherwise)).resolves.toBeUndefined();
  });

  it("accepts a JSON array exactly if JSON.parse does", async () => {
    await assert(
      asyncProperty(anything, async (text) => {
        const rows = readCut("json", `[${text}]`, []);
        const isValid = ((): boolean => {
          try {
            JSON.parse(`[${text}]`);
            return true;
          } catch {
            return false;
          }
        })();
        const isRefused = rows.some(
          (row) => "message" in row && row.message.startsWith("invalid JSON"),
        );
        expect(isRefused).toBe(!isValid);
      }),
      { numRuns: 1000 },
    );
  });
});
