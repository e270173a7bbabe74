import { describe, expect, it } from "vitest";
import type { InputFormat } from "../../../src/bulk/types.ts";
import { faultsOf, read, type ReadOptions } from "../support/input.ts";

const rex = '{"name":"Rex","categoryId":1}';
const int64 =
  "must be a whole number from -9223372036854775808 to 9223372036854775807, such as 7 or -7";
const statuses = "must be one of available, pending, sold";
const mebi = 1024 * 1024;

async function linesOf(content: string | Uint8Array, options?: ReadOptions) {
  return (await read(content, options)).map(({ line, index, pet }) => [index, line, pet.name]);
}

describe("rows and their lines", () => {
  it.each<readonly [string, InputFormat, string | Uint8Array, readonly number[]]>([
    ["nothing", "ndjson", "", []],
    ["a byte-order mark alone", "ndjson", "\uFEFF", []],
    ["blank lines alone", "ndjson", " \n\t\r\n\r\f\n\u00A0\n", []],
    ["LF", "ndjson", `${rex}\n${rex}\n`, [1, 2]],
    ["no last line end", "ndjson", `${rex}\n${rex}`, [1, 2]],
    ["CRLF", "ndjson", `${rex}\r\n${rex}\r\n`, [1, 2]],
    ["CR", "ndjson", `${rex}\r${rex}\r`, [1, 2]],
    ["blank lines", "ndjson", `\n${rex}\r\n \t\r\n\r${rex}\n\n`, [2, 5]],
    ["a byte-order mark", "ndjson", `\uFEFF${rex}\n${rex}`, [1, 2]],
    ["blanks around", "ndjson", `  ${rex}\t\n`, [1]],
    ["nothing", "json", "", []],
    ["white space", "json", "\uFEFF \n\t", []],
    ["no elements", "json", " [ ] ", []],
    ["places", "json", `\uFEFF[${rex},\n\n\n${rex}\n,${rex}]\n`, [1, 2, 3]],
    ["nothing", "csv", "", []],
    ["a header alone", "csv", "name,categoryId", []],
    ["LF", "csv", "name,categoryId\nRex,1\nRex,1\n", [2, 3]],
    ["no last line end", "csv", "name,categoryId\nRex,1", [2]],
    ["CRLF", "csv", "\uFEFFname,categoryId\r\nRex,1\r\nRex,1\r\n", [2, 3]],
    ["CR", "csv", "name,categoryId\rRex,1\rRex,1", [2, 3]],
    ["a mixture", "csv", "name,categoryId\r\nRex,1\nRex,1\rRex,1", [2, 3, 4]],
    ["blank lines", "csv", '\n\r\nname,categoryId\n\n  \nRex,1\n\n,\n,,\n"",\nRex,1\n', [6, 11]],
    [
      "quoted line ends",
      "csv",
      '"name","categoryId",status\n"Re\nx",1,\n"Re\r\nx",1,sold\n"Re\rx\n\n",1,\nRex,1,',
      [2, 4, 6, 10],
    ],
    ["a quoted line end in the header", "csv", 'name,categoryId,"i\nd"\nRex,1,', [3]],
    ["semicolons", "csv", "name;categoryId;status\nRex;1;\n", [2]],
    ["tabs", "csv", "name\tcategoryId\tstatus\nRex\t1\tsold", [2]],
    ["a quoted header and semicolons", "csv", '"name";"categoryId"\n"a,b";1', [2]],
    ["empty columns at the end", "csv", "categoryId,name,status,,\n1,Rex,,,\n1,Rex", [2, 3]],
  ])("with %s in %s", async (_what, format, content, lines) => {
    const options = { format, ignoreUnknown: true };
    const found = await linesOf(content, options);
    expect(found.map(([, line]) => line)).toEqual(lines);
    expect(found.map(([index]) => index)).toEqual(lines.map((_line, index) => index));
  });
});

describe("values", () => {
  it.each<readonly [InputFormat, string, object]>([
    [
      "ndjson",
      '{"name":" Ré\\n\\u0000 ","categoryId":-9223372036854775808,"status":"sold","id":"x"}',
      { name: " Ré\n\0 ", categoryId: -(2n ** 63n), status: "sold" },
    ],
    [
      "json",
      '[{"name":" R\\u00e9\\n\\ud83d\\ude00","categoryId":9223372036854775807,"id":[{"id":1}]}]',
      { name: " Ré\n😀", categoryId: 2n ** 63n - 1n },
    ],
    [
      "json",
      '[{"categoryId":-0,"name":"\\ud800","status":"pending"}]',
      { name: "\ud800", categoryId: 0n, status: "pending" },
    ],
    [
      "csv",
      'status,id,categoryId,name\n,1.0,9007199254740993," ""Rex"", the 1st "',
      { name: ' "Rex", the 1st ', categoryId: 9007199254740993n },
    ],
    [
      "csv",
      "name,categoryId,status\n Rex ,-7,available",
      { name: " Rex ", categoryId: -7n, status: "available" },
    ],
    ["csv", "categoryId,name\n1,=1+1", { name: "=1+1", categoryId: 1n }],
  ])("of %s %s", async (format, content, pet) => {
    expect((await read(content, { format }))[0]?.pet).toStrictEqual(pet);
  });

  it("that are unknown are left out when they are to be ignored", async () => {
    const expected = { name: "Rex", categoryId: 1n };
    const options = { ignoreUnknown: true } as const;
    const json =
      '{"name":"Rex","age":[1,{"name":"x"}],"categoryId":1,"__proto__":{"status":"sold"}}';
    expect((await read(json, { ...options, format: "ndjson" }))[0]?.pet).toStrictEqual(expected);
    expect((await read(`[${json}]`, { ...options, format: "json" }))[0]?.pet).toStrictEqual(
      expected,
    );
    const csv = "age,name,categoryId,age\n1,Rex,1,2";
    expect((await read(csv, { ...options, format: "csv" }))[0]?.pet).toStrictEqual(expected);
  });
});

const noField = "is no field of an animal: those are name, categoryId and status";

/** Each for a row of NDJSON and of a JSON array. */
const invalidJson: readonly (readonly [string, string])[] = [
  ['{"categoryId":1}', "name: is missing"],
  ['{"name":"","categoryId":1}', 'name: must not be empty, and is ""'],
  ['{"name":" \\t\\u3000","categoryId":1}', 'name: must not be empty, and is " \\t\u3000"'],
  ['{"name":5,"categoryId":1}', "name: must be a text, not 5"],
  ['{"name":null,"categoryId":1}', "name: must be a text, not null"],
  ['{"name":["x"],"categoryId":1}', "name: must be a text, not an array"],
  ['{"name":"Rex"}', `categoryId: is missing: it ${int64}`],
  ['{"name":"Rex","categoryId":"1"}', `categoryId: ${int64}, not "1"`],
  ['{"name":"Rex","categoryId":1.0}', `categoryId: ${int64}, not 1.0`],
  ['{"name":"Rex","categoryId":1e3}', `categoryId: ${int64}, not 1e3`],
  [
    '{"name":"Rex","categoryId":9223372036854775808}',
    `categoryId: ${int64}, not 9223372036854775808`,
  ],
  ['{"name":"Rex","categoryId":true}', `categoryId: ${int64}, not true`],
  ['{"name":"Rex","categoryId":{"a":1}}', `categoryId: ${int64}, not an object`],
  [
    '{"name":"Rex","categoryId":1,"status":"avialable"}',
    `status: ${statuses}, not "avialable": did you mean available?`,
  ],
  [
    '{"name":"Rex","categoryId":1,"status":"SOLD"}',
    `status: ${statuses}, not "SOLD": did you mean sold?`,
  ],
  ['{"name":"Rex","categoryId":1,"status":null}', `status: ${statuses}, not null`],
  ['{"name":"Rex","categoryid":1}', `categoryid: ${noField}`],
  ['{"name":"Rex","categoryId":1,"__proto__":1}', `__proto__: ${noField}`],
  ['{"name":"Rex","categoryId":1,"n\\u0061me":"Max"}', "name: stands twice"],
  ['{"name":"\\"a\\":","categoryId":1,"id":{"a":1,"a":2},"id":1}', "id: stands twice"],
  ["[]", "must be a JSON object, not an array"],
  ["null", "must be a JSON object, not null"],
  ['"Rex"', 'must be a JSON object, not "Rex"'],
  ["1.50", "must be a JSON object, not 1.50"],
  ["-17", "must be a JSON object, not -17"],
];

describe("a row that is not valid", () => {
  it.each(invalidJson)("%s", async (row, fault) => {
    const lines = await faultsOf(`\n${row}\n${rex}`, { format: "ndjson" });
    expect(lines).toEqual([`2 ${fault}`]);
    expect(await faultsOf(`[${rex},\n\n${row}, ${rex}]`, { format: "json" })).toEqual(lines);
  });

  it.each([
    ["Rex", "2 categoryId: is missing"],
    [",1", '2 name: must not be empty, and is ""'],
    ["Rex,", `2 categoryId: ${int64}, not ""`],
    ["Rex,1.0", `2 categoryId: ${int64}, not "1.0"`],
    ["Rex, 1", `2 categoryId: ${int64}, not " 1"`],
    ["Rex,007", `2 categoryId: ${int64}, not "007"`],
    ["Rex,1,gone", `2 status: ${statuses}, not "gone": did you mean sold?`],
    ["Rex,1,sold,7", "2 has a value in column 4, which the header does not name"],
    ['"Rex\n",1,x\nMax,1', "2 status:"],
    ['Max,1,\nRe"x",1', "3 has a quote within a value"],
    ['Max,1,\n"Re"x,1', "3 has text behind a closing quote"],
    ['Max,1,\n"Rex,1\nMax,1\n', "3 begins with a quote that is never closed"],
    [Buffer.from([0x52, 0xe9, 0x2c, 0x31]), "2 is not valid UTF-8 (byte 0xe9)"],
  ])("in CSV: %s", async (row, fault) => {
    const content = Buffer.concat([Buffer.from("name,categoryId,status\n"), Buffer.from(row)]);
    const found = await faultsOf(content, { format: "csv" });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(fault);
  });

  it.each([
    ["nmae,categoryId", `1 nmae: ${noField}`],
    ["Name,categoryId", `1 Name: ${noField}`],
    ["name,categoryId,name", "1 name: names two columns"],
    ["name,status", "1 categoryId: has no column"],
    [
      "\n\nRex,1,sold",
      '3 must name the columns, such as name,categoryId,status, and is "Rex,1,sold"',
    ],
    ["name;categoryId,status", `1 name;categoryId: ${noField}`],
  ])("is a CSV header of %j, and nothing else is told", async (header, fault) => {
    const found = await faultsOf(`${header}\nx,y\nz`, { format: "csv" });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(fault);
  });

  it.each([
    ["{", "2 must be a JSON object on one line, not {"],
    ["{'name':1}", "2 must be a JSON object on one line, not {'name':1}"],
    [`${rex} ${rex}`, "2 must be a JSON object on one line"],
    ["[\n]", "2 must be a JSON object on one line, not ["],
    [`${rex},`, "2 must be a JSON object on one line"],
    [`"${"x".repeat(mebi)}"`, "2 must be 1 MiB at most"],
    [`{"name":"${"é".repeat(mebi / 2)}","categoryId":1}`, "2 must be 1 MiB at most"],
    [Buffer.from([0x22, 0xff, 0x22]), "2 is not valid UTF-8 (byte 0xff)"],
    [Buffer.from([0x22, 0xe2, 0x82]), "2 is not valid UTF-8 (byte 0xe2)"],
  ])("in NDJSON: %.30s", async (row, fault) => {
    const content = Buffer.concat([Buffer.from(`${rex}\r\n`), Buffer.from(row), Buffer.from("\n")]);
    expect((await faultsOf(content, { format: "ndjson" }))[0]).toContain(fault);
  });

  it.each([
    [`[${rex},${rex}`, "3 is not valid JSON: the text ends at line 1, column"],
    [`[${rex},\n ${rex}}`, "3 is not valid JSON: expected ']' at line 2, column 31"],
    [`[${rex},]`, "2 is not valid JSON"],
    [`[${rex},{"name" "x"}]`, "2 is not valid JSON: expected ':' at line 1, column"],
    [`[${rex}] x`, "2 is not valid JSON: unexpected characters"],
    [`[${rex}, tru]`, "2 is not valid JSON: expected a value at line 1, column 33"],
    [`[${rex},{"name":"a\nb"}]`, "2 is not valid JSON"],
    ["[01]", "1 is not valid JSON"],
    [rex, "1 must be a JSON array of animals; for one animal a line, give --format ndjson"],
    ["7", "1 must be a JSON array"],
    ["null", "1 must be a JSON array"],
    [" true\n", "1 must be a JSON array"],
    [`[${rex},{"name":"a\tb"}]`, "2 is not valid JSON: a control character or a wrong escape"],
    [`[${rex},{"name":"${"x".repeat(mebi)}","categoryId":1},7]`, "2 must be 1 MiB at most"],
    [`[${"[".repeat(20_000)}`, "1 must not be nested"],
    [
      Buffer.concat([Buffer.from(`[${rex},"`), Buffer.from([0xc3, 0x28])]),
      "2 is not valid UTF-8 (byte 0xc3)",
    ],
  ])("in a JSON array: %.60s", async (content, fault) => {
    expect((await faultsOf(content, { format: "json" }))[0]).toContain(fault);
  });

  it.each(["utf16le", "latin1"] as const)(
    "of text in %s names the line and says what to do",
    async (encoding) => {
      for (const mark of ["", "\uFEFF"]) {
        if (mark !== "" && encoding === "latin1") continue;
        const content = Buffer.from(`${mark}name,categoryId\nRéx,1\n`, encoding);
        const [fault] = await faultsOf(content, { format: "csv" });
        expect(fault).toMatch(
          encoding === "latin1" ? /^2 .*save the file as UTF-8/ : /^1 is UTF-16: save/,
        );
      }
    },
  );
});

describe("a spreadsheet's own file", () => {
  it("is to be saved as CSV", async () => {
    const xlsx = Buffer.from("PK\x03\x04\x14\x00\x06\x00\xff\xfe", "latin1");
    expect(await faultsOf(xlsx)).toEqual([
      expect.stringMatching(/^1 is packed, as the files of spreadsheets are: save it as CSV/),
    ]);
  });
});

describe("many invalid rows", () => {
  it("are counted, and the first 20 listed", async () => {
    const content = `${rex}\n{}\n`.repeat(5_000);
    const failure = await read(content, { format: "ndjson", name: "a b.txt" }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({
      kind: "usage",
      message: expect.stringMatching(
        /^5000 rows are not valid in .*a b\.txt, so nothing was sent; the first 20/,
      ),
    });
    const { details } = (failure as { facts: { details: { line: number }[] } }).facts;
    expect(details.map(({ line }) => line)).toEqual(
      Array.from({ length: 20 }, (_, row) => 2 * row + 2),
    );
  });

  it.each([
    ['{"name":"Rex","categoryId":1,"age":7}', ["--ignore-unknown leaves out unknown fields"]],
    ['{"name":"Rex"}', []],
  ])("%s: with the hints %j", async (content, hints) => {
    await expect(read(content)).rejects.toMatchObject({ hints });
  });

  it.each([",", ";", '"', "\t", "a", "é"])(
    "are one where a CSV is only %j, told at once",
    async (sign) => {
      const start = performance.now();
      const [fault] = await faultsOf(sign.repeat(3 * mebi), { format: "csv" });
      expect(fault).toMatch(/^1 must be 1 MiB at most/);
      expect(performance.now() - start).toBeLessThan(10_000);
    },
  );

  it("behind one that is far too long are told too", async () => {
    const long = `{"name":"${"x".repeat(3 * mebi)}`;
    expect(await faultsOf(`${long}"}\n{}`, { format: "ndjson" })).toEqual([
      "1 must be 1 MiB at most",
      "2 name: is missing",
    ]);
    expect(await faultsOf(`[${long}"},{}]`, { format: "json" })).toEqual([
      "1 must be 1 MiB at most",
      "2 name: is missing",
    ]);
    const csv = await faultsOf(`name,categoryId\n${"x".repeat(3 * mebi)},1\n,`, { format: "csv" });
    expect(csv).toEqual([
      expect.stringMatching(/^2 must be 1 MiB at most.*nothing behind it was read/),
    ]);
    const cells = await faultsOf(`name,categoryId\n${",".repeat(3 * mebi)}`, { format: "csv" });
    expect(cells).toEqual([expect.stringMatching(/^2 must be 1 MiB at most/)]);
  });
});
