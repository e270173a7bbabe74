import { assert, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { anything, assertCutsMakeNoDifference, readCut } from "../../support/any-pets.ts";
import { faultsOf, outcomeOf, read, mebi, rex } from "../../support/input.ts";

describe("rows and their lines", () => {
  it.each<readonly [string, string, string, readonly number[]]>([
    ["nothing", "ndjson", "", []],
    ["a byte-order mark alone", "ndjson", "\uFEFF", []],
    ["blank lines alone", "ndjson", " \n\t\r\n\r\f\n\u00A0\n", []],
    ["LF", "ndjson", `${rex}\n${rex}\n`, [1, 2]],
    ["no last line end", "ndjson", `${rex}\n${rex}`, [1, 2]],
    ["CRLF", "ndjson", `${rex}\r\n${rex}\r\n`, [1, 2]],
    ["CR", "ndjson", `${rex}\r${rex}\r`, [1, 2]],
    ["blank lines", "ndjson", `\n${rex}\r\n \t\r\n\r${rex}\n\n`, [2, 5]],
    ["a byte-order mark and blanks", "ndjson", `\uFEFF${rex}\n  ${rex}\t\n`, [1, 2]],
    ["no elements", "json", " [ ] ", []],
    ["places", "json", `\uFEFF[${rex},\n\n\n${rex}\n,${rex}]\n`, [1, 2, 3]],
  ])("with %s in %s", async (_what, format, content, lines) => {
    const rows = await read(content, `a.${format}`);
    expect(rows.map(({ line, index }) => [line, index])).toEqual(lines.map((line, i) => [line, i]));
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
    [
      '{"name":"Rex","age":[1,{"name":"x"}],"categoryId":1,"__proto__":{"status":"sold"}}',
      { name: "Rex", categoryId: 1n },
    ],
  ])("of %s", async (content, pet) => {
    const [row] = await read(content, "a.ndjson", { ignoreFields: true });
    expect(row?.pet).toStrictEqual(pet);
  });
});

describe("a line of NDJSON", () => {
  it.each([
    ["{", "2 invalid JSON: expected property name or '}'"],
    ['{"name":x}', "2 invalid JSON: unexpected token 'x'"],
    [`${rex} ${rex}`, "2 invalid JSON: unexpected non-whitespace character"],
    ["Rex", "2 must be a JSON object on one line, not Rex"],
    ["[\n]", "2 must be a JSON object on one line, not ["],
    [`"${"x".repeat(mebi)}"`, "2 row longer than 1 MiB"],
    [`{"name":"${"é".repeat(mebi / 2)}","categoryId":1}`, "2 row longer than 1 MiB"],
    [Buffer.from([0x22, 0xff, 0x22]), "2 invalid UTF-8"],
    [Buffer.from([0x22, 0xe2, 0x82]), "2 invalid UTF-8"],
  ])("may be wrong: %.30s", async (row, fault) => {
    const content = Buffer.concat([Buffer.from(`${rex}\r\n`), Buffer.from(row)]);
    expect((await faultsOf(content, "a.ndjson"))[0]).toContain(fault);
  });
});

it.each([
  ["a.ndjson", (long: string) => `${long}\n{}`],
  ["a.json", (long: string) => `[${long},{}]`],
])("a row may follow one that is far too long in %s", async (name, content) => {
  expect(await faultsOf(content(`{"name":"${"x".repeat(3 * mebi)}"}`), name)).toEqual([
    "1 row longer than 1 MiB",
    "2 name is missing; categoryId is missing",
  ]);
});

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

describe("a JSON array", () => {
  it.each([
    ["", "is empty"],
    ["\uFEFF \n\t", "is empty"],
    ['{"data":[{}]}', "has its rows inside: --items data \\(1 row\\)"],
  ])("is missing in %j", async (content, message) => {
    await expect(read(content, "a.json")).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(new RegExp(`a\\.json ${message}$`)),
    });
  });

  it.each([
    [`[${rex},\n\n"x"]`, '2 must be a JSON object, not "x"'],
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
    ['{"a" 1}', "1 invalid JSON: expected ':' after property name (line 1)"],
    [`[\n"\\u12`, "1 invalid JSON: unexpected end of file (line 2)"],
    [
      `[${"[".repeat(20_000)}1.5${"]".repeat(20_001)}`,
      "1 JSON is nested more than 500 levels deep",
    ],
    [`[${rex},{"name":"${"x".repeat(mebi)}","categoryId":1},7]`, "2 row longer than 1 MiB"],
    [`[${"[".repeat(20_000)}`, "1 invalid JSON: unexpected end of file"],
    [Buffer.concat([Buffer.from(`[${rex},"`), Buffer.from([0xc3, 0x28])]), "2 invalid UTF-8"],
  ])("may be wrong: %.60s", async (content, fault) => {
    expect((await faultsOf(content, "a.json"))[0]).toContain(fault);
  });

  it("is accepted exactly if JSON.parse does", () => {
    assert(
      property(anything, (text) => {
        const rows = readCut("json", `[${text}]`, []);
        const messages = rows.map((row) => ("message" in row ? row.message : ""));
        const isRefused = messages.some((message) => message.startsWith("invalid JSON"));
        expect(isRefused).toBe(!isJson(`[${text}]`));
      }),
      { numRuns: 300 },
    );
  });
});

it.each(["ndjson", "json"] as const)("any text of %s is read the same, however split", (format) => {
  const onceReadOtherwise = ["[-1\n", "[-1\n}", "[{\r\n", "[truename{"];
  expect(() => assertCutsMakeNoDifference(format, onceReadOtherwise)).not.toThrow();
});

const mapped = { map: ["categry.id=categoryId"], category: 1n };

it.each([
  ["a.ndjson", '{"name":"Rex"}\n{"name":"Mia"}\n'],
  ["a.json", '[{"name":"Rex","category":{"id":7}}]'],
])(
  "a path of --map that no row of %s has is named, with a default beside it",
  async (name, text) => {
    const near = name === "a.json" ? ' (did you mean "category.id"?)' : "";
    const message = `--map names "categry.id"${near}, but no row has it; nothing was sent`;
    expect(await outcomeOf(text, name, mapped)).toMatchObject({ message });
    const { map } = mapped;
    expect(await outcomeOf(text, name, { map })).toMatchObject({ message });
    expect(await outcomeOf(name === "a.json" ? "[]" : "", name, mapped)).toEqual([]);
  },
);

it("one row may have the path of --map alone", async () => {
  const text = '{"name":"Rex"}\n{"name":"Mia","categry":{"id":2}}\n';
  expect(await outcomeOf(text, "a.ndjson", mapped)).toEqual(["Rex 1", "Mia 2"]);
});

describe("--items", () => {
  const animals = '[{"name":"R\\"e]x","categoryId":1}]';
  it.each<readonly [string, string, object]>([
    [
      `{"n":1,"data":{"skip":[{"x":[1]}],"animals":${animals},"more":[{}]}}`,
      "data.animals",
      ['R"e]x 1'],
    ],
    [`{"a":{"b":[]},"b":${animals}}`, "b", ['R"e]x 1']],
    [`{"a":{"b":[]},"b":${animals}}`, "a.b", []],
    [`{"d\\u0061ta":${animals}}`, "data", ['R"e]x 1']],
    [`{"x":"\\"data\\":[","data":${animals}}`, "data", ['R"e]x 1']],
    [
      `{"a":{"b":${animals}},"c":[1,]}`,
      "a.b",
      { details: [expect.stringMatching(/^2 invalid JSON: unexpected token/)] },
    ],
    [`{"data":{"x":1}}`, "data", { message: expect.stringMatching(/ has no array "data"$/) }],
    [
      `{"x":[{"data":${animals}}]}`,
      "x.data",
      { message: expect.stringMatching(/ has no array "x.data"; it has --items /) },
    ],
    [animals, "data", { message: expect.stringMatching(/ has no array "data"$/) }],
    [`[{"type":"header"},[1],{"data":${animals}}]`, "2.data", ['R"e]x 1']],
    [`{"data":[{"x":1,"animals":${animals}},{"animals":[]}]}`, "data.0.animals", ['R"e]x 1']],
    [`[${animals},[7]]`, "0", ['R"e]x 1']],
    [`{"0":${animals}}`, "0", ['R"e]x 1']],
    [`{"a.b":{"c.d":${animals}}}`, "a.b.c.d", ['R"e]x 1']],
    [
      `[${animals}]`,
      "00",
      { message: expect.stringMatching(/ has no array "00"; it has --items /) },
    ],
    [`[${animals}]`, "1", { message: expect.stringMatching(/ has no array "1"; it has --items /) }],
    [
      `[${animals}]`,
      "0.0",
      { message: expect.stringMatching(/ has no array "0.0"; it has --items /) },
    ],
    [`[${animals}}`, "0", { details: [expect.stringMatching(/^2 invalid JSON: unexpected "}" /)] }],
    [
      `{"data":[{"name":1}`,
      "data",
      {
        details: [
          "1 name must be a string, not 1; categoryId is missing",
          expect.stringMatching(/^2 invalid JSON: unexpected end of file/),
        ],
      },
    ],
  ])("of %s with %s", async (text, items, expected) => {
    expect(await outcomeOf(text, "a.json", { items })).toMatchObject(expected);
  });

  it("is suggested for an object around an array", async () => {
    const deep = await outcomeOf(`{"n":2,"x":["a"],"data":{"animals":${animals}}}`, "a.json");
    expect(deep).toHaveProperty("hints", ["Try it with: --items data.animals"]);
    const around = `{"data":${animals}}`;
    const found = await outcomeOf(around, "a.ndjson");
    expect(found).toHaveProperty("hints", ["Try it with: --format json --items data"]);
    expect(await outcomeOf(around, "stdin", { items: "data" })).toEqual(['R"e]x 1']);
  });
});
