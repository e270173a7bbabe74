import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/core/errors.ts";
import { parseValueMap } from "../../../src/imports/input/columns.ts";
import { type InputRequest, openInput } from "../../../src/imports/input/input.ts";
import { bytesOf, fileOf } from "../support/input.ts";

type Flags = Partial<InputRequest>;

function open(content: string | Uint8Array, name: string, flags: Flags) {
  return openInput({
    file: fileOf(content, name),
    stdin: bytesOf(),
    signal: new AbortController().signal,
    ignoreFields: false,
    ...flags,
  });
}

/** Returns the animals of a file as text (`Rex 1 sold`), or what is wrong with it: message, rows and hints. */
async function read(content: string | Uint8Array, name: string, flags: Flags = {}) {
  const input = await open(content, name, flags);
  try {
    await input.check();
    const pets: string[] = [];
    for await (const rows of input.rows())
      for (const { pet } of rows)
        pets.push([pet.name, pet.categoryId, ...(pet.status ? [pet.status] : [])].join(" "));
    return pets;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { message, hints, facts } = error;
    return {
      message: message.replace(/ in [^;\s]+/, ""),
      details: (facts.details ?? []).map(({ line, field, message: what }) =>
        [line, field, what].filter((part) => part !== undefined).join(" "),
      ),
      hints,
    };
  } finally {
    input.close();
  }
}

describe("--value and defaults", () => {
  const animals = "name,category,status\nRex, dog ,ADOPTION\n,Cat,\nMia,7,Transfer\n";
  const value = ["category:Dog=1", "category: CAT =2", "status:adoption=sold"];

  it.each<readonly [Flags, unknown]>([
    [
      { value: [...value, "category:*=9", "status:*=pending"], defaults: { name: "Stray" } },
      ["Rex 1 sold", "Stray 2", "Mia 9 pending"],
    ],
    [
      { value: [...value, "status:=available", "status:transfer=sold", "name:=None"] },
      ["Rex 1 sold", "None 2 available", "Mia 7 sold"],
    ],
    [
      { value: [...value, "status:*=pending"], defaults: { name: "Stray", status: "available" } },
      ["Rex 1 sold", "Stray 2 available", "Mia 7 pending"],
    ],
  ])("%j", async (flags, expected) => {
    expect(await read(animals, "a.csv", flags)).toEqual(expected);
    const tsv = animals.replaceAll(",", "\t");
    expect(await read(tsv, "a.tsv", flags)).toEqual(expected);
  });

  it("may stand for a column that is not there", async () => {
    const defaults = { categoryId: 3n, status: "sold" } as const;
    expect(await read("name\nRex\n", "a.csv", { defaults })).toEqual(["Rex 3 sold"]);
    const json =
      '{"name":"Rex","categoryId":null}\n{"name":"Mia","categoryId":4,"status":"pending"}';
    expect(await read(json, "a.ndjson", { defaults })).toEqual(["Rex 3 sold", "Mia 4 pending"]);
  });

  it("translate the texts and numbers of JSON", async () => {
    const json = '[{"name":"Rex","categoryId":"Dog","status":1}]';
    const flags = { value: ["category:dog=1", "status:1=sold"] };
    expect(await read(json, "a.json", flags)).toEqual(["Rex 1 sold"]);
  });

  it.each([
    ["dog=1", "--value must be FIELD:TEXT=VALUE, with name, category or status as FIELD"],
    ["breed:dog=1", "--value must be FIELD:TEXT=VALUE"],
    ["category:dog", "--value must be FIELD:TEXT=VALUE"],
    ["category:dog=one", 'must be an integer, not "one"'],
    ["status:gone=Sold", 'status must be one of available, pending, sold, not "Sold"'],
    ["name:x= ", "name must not be empty"],
  ])("refuse %j", (text, message) => {
    expect(() => parseValueMap([text])).toThrow(message);
  });

  it("refuse two values for one text", () => {
    expect(() => parseValueMap(["category:Dog=1", "category:dog =2"])).toThrow(
      '--value gives "dog " two values for categoryId',
    );
    expect(parseValueMap(["category:Dog=1", "category:dog=1"]).size).toBe(1);
  });
});

describe("--map", () => {
  it.each<readonly [string, string, readonly string[], object]>([
    ["a.csv", "Tier,name,categoryId\nRex,x,1", ["Tier=name"], ["Rex 1"]],
    ["a.csv", ",kind\nRex,1", ["#1=name", "kind=category"], ["Rex 1"]],
    ["a.csv", "name,name,category\nRex,x,1", ["#1=name"], ["Rex 1"]],
    [
      "a.csv",
      "#2,name,category\n7,Rex,1",
      ["#2=status", "name=name"],
      { details: [expect.stringMatching(/^2 status .*, not "7"$/)] },
    ],
    [
      "a.ndjson",
      '{"pet":{"called":"Rex"},"kind":"1","state":"SOLD"}',
      ["pet.called=name", "kind=category", "state=status"],
      ["Rex 1 sold"],
    ],
    [
      "a.ndjson",
      '{"a.b":"Rex","a":{"b":"x"},"categoryId":1}',
      ["a.b=name"],
      { details: [expect.stringMatching(/^1 a is not a field/)] },
    ],
    ["a.json", '[{"name":"x","dog":"Rex","categoryId":1}]', ["dog=name"], ["Rex 1"]],
  ])("of %s with %j: %j", async (name, text, map, expected) => {
    expect(await read(text, name, { map })).toMatchObject(expected);
  });

  it.each([
    ["a.ndjson", '{"name":"Rex"}\n{"name":"Mia"}\n'],
    ["a.json", '[{"name":"Rex","category":{"id":7}}]'],
  ])("names a path that no row of %s has, with a default beside it", async (name, text) => {
    const map = ["categry.id=categoryId"];
    const message = '--map names "categry.id", but no row has it; nothing was sent';
    expect(await read(text, name, { map, defaults: { categoryId: 1n } })).toMatchObject({
      message,
    });
    expect(await read(text, name, { map })).toMatchObject({ message });
    const one = text.replace('"name":"Mia"', '"name":"Mia","categry":{"id":2}');
    const expected = one === text ? { message } : ["Rex 1", "Mia 2"];
    const flags = { map, defaults: { categoryId: 1n } };
    expect(await read(one, name, flags)).toMatchObject(expected);
    expect(await read(name === "a.json" ? "[]" : "", name, flags)).toEqual([]);
  });
});

describe("a header", () => {
  it.each<readonly [string, Flags, string, string | undefined]>([
    [
      "Animal Name,Animal Type,Outcome Type,Color\nRex,Dog,x,y",
      {},
      '1 no column for name and categoryId; unknown columns "Animal Name", "Animal Type", "Outcome Type", "Color"; the columns are name, categoryId, status',
      "Try it with: --map 'Animal Name=name' --map 'Animal Type=categoryId' --ignore-fields",
    ],
    [
      "nmae,category,staus\n",
      {},
      '1 no column for name; unknown columns "nmae" (did you mean "name"?), "staus" (did you mean "status"?); the columns are name, categoryId, status',
      "Try it with: --map nmae=name --map staus=status",
    ],
    [
      "name,x\n",
      { map: ["Tier=name", "Art=category"] },
      '1 --map names "Tier", "Art", but the columns are name, x; no column for categoryId; unknown column "x"; the columns are name, categoryId, status',
      undefined,
    ],
    [
      "Chip;Name;Tierart;Status;Alter\n",
      {},
      '1 no column for categoryId; unknown columns "Chip", "Tierart", "Alter"; the columns are name, categoryId, status',
      "Try it with: --map Tierart=categoryId --ignore-fields",
    ],
    [
      "Chip,Owner Name,State,Cat\n",
      {},
      '1 no column for name and categoryId; unknown columns "Chip", "Owner Name", "State" (did you mean "status"?), "Cat" (did you mean "categoryId"?); the columns are name, categoryId, status',
      "Try it with: --map COLUMN=name --map COLUMN=categoryId --ignore-fields",
    ],
    [
      ",Name,,Ort\n",
      { ignoreFields: true },
      "1 no column for categoryId",
      "Try it with: --map COLUMN=categoryId",
    ],
    [
      ",Name,Species\n",
      {},
      '1 no column for categoryId; unknown column "Species"; the columns are name, categoryId, status',
      "Try it with: --map Species=categoryId --ignore-fields",
    ],
    ["name\nRex", {}, "1 no column for categoryId", "Try it with: --category ID"],
    [
      "Rex;1;2024-01-05;SOLD\n",
      {},
      '1 expected a header such as name,categoryId,status, not "Rex,1,2024-01-05,SOLD"',
      "Try it with: --no-header --map COLUMN=name --map COLUMN=categoryId --map '#4=status' --ignore-fields",
    ],
    [
      "Rex,1\n",
      { noHeader: true },
      "1 no column for name and categoryId",
      "Try it with: --map COLUMN=name --map COLUMN=categoryId",
    ],
    [
      "276001234,Rex,Dog\n",
      { noHeader: true, map: ["#2=name"] },
      "1 no column for categoryId",
      "Try it with: --map COLUMN=categoryId --ignore-fields",
    ],
  ])("%j with %j", async (text, flags, detail, hint) => {
    const found = await read(text, "a.csv", flags);
    expect(found).toMatchObject({ message: "invalid header; nothing was sent", details: [detail] });
    expect(found).toHaveProperty("hints", hint === undefined ? [] : [hint]);
  });

  it("may be missing", async () => {
    const map = ["#1=name", "#3=category"];
    expect(await read("Rex,,1\nMia,,2\n", "a.csv", { noHeader: true, map })).toEqual([
      "Rex 1",
      "Mia 2",
    ]);
    const found = await read("Rex,x,1\n", "a.csv", { noHeader: true, map });
    expect(found).toHaveProperty("hints", ["Try it with: --ignore-fields"]);
    const ignored = await read("Rex,x,1\n", "a.csv", { noHeader: true, map, ignoreFields: true });
    expect(ignored).toEqual(["Rex 1"]);
  });

  it("may have columns of results, which are ignored", async () => {
    const text = "name,categoryId,Outcome,ID,error\nRex,1,added,7,\n";
    expect(await read(text, "a.csv")).toEqual(["Rex 1"]);
    const json =
      '{"name":"Rex","categoryId":1,"outcome":"rejected","id":null,"error":{"code":"x"}}';
    expect(await read(json, "a.ndjson")).toEqual(["Rex 1"]);
  });

  it.each(["\n", "\r\n", "\r"])("may come after titles that end with %j", async (end) => {
    const text = ["Shelter, 2026", "", "name,category", "Rex,1", ",2"].join(end);
    const flags = { skipLines: 2 };
    expect(await read(text, "a.csv", flags)).toMatchObject({
      details: ["5 name must not be empty"],
    });
    expect(await read(text, "a.csv", { ...flags, skipLines: 9 })).toMatchObject({
      details: ["10 not a header; line 3 looks like one, and --skip-lines skips it"],
    });
  });
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
      { message: expect.stringMatching(/ has no array "x.data"$/) },
    ],
    [animals, "data", { message: expect.stringMatching(/ has no array "data"$/) }],
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
    expect(await read(text, "a.json", { items })).toMatchObject(expected);
  });

  it("is suggested for an object around an array", async () => {
    for (const name of ["a.json", "a.txt"]) {
      const found = await read(`{"count":2,"tags":["a"],"data":{"animals":${animals}}}`, name, {
        ...(name === "a.txt" && { format: "json" }),
      });
      expect(found).toHaveProperty("hints", ["Try it with: --items data.animals"]);
    }
    expect(await read(`{"data":${animals}}`, "a.ndjson")).toHaveProperty("hints", [
      "Try it with: --format json --items data",
    ]);
    expect(await read(`{"data":${animals}}`, "stdin", { items: "data" })).toEqual(['R"e]x 1']);
  });
});

describe("--encoding", () => {
  it.each([
    ["latin1", Buffer.from("name,category\nRéx,1", "latin1")],
    ["utf-16le", Buffer.from("\uFEFFname,category\nRéx,1", "utf16le")],
    ["utf-16be", Buffer.from("\uFEFFname,category\nRéx,1", "utf16le").swap16()],
    ["utf-8", Buffer.from("\uFEFFname,category\nRéx,1")],
  ])("%s", async (encoding, bytes) => {
    expect(await read(bytes, "a.csv", { encoding })).toEqual(["Réx 1"]);
  });

  it("stops at the first byte that is not of it", async () => {
    const rows = Buffer.from(`name,category\n${"Rex,1\n".repeat(3000)}`, "latin1");
    const bytes = Buffer.concat([rows, Buffer.from([0x81, 0x20]), Buffer.from(",1\n")]);
    expect(await read(bytes, "a.csv", { encoding: "shift_jis" })).toMatchObject({
      details: ["3002 invalid SHIFT_JIS; the rest of the file was not read"],
    });
  });

  it("is suggested", async () => {
    const found = await read(Buffer.from("name,category\nRéx,1", "latin1"), "a.csv");
    expect(found).toHaveProperty(["hints", 0], "Try it with: --encoding latin1");
    const utf16 = await read(Buffer.from("\uFEFFname", "utf16le"), "a.csv");
    expect(utf16).toHaveProperty(["hints", 0], "Try it with: --encoding utf-16le");
  });
});

const command = (flag: string) => `pets add --from a.csv ${flag}`;

describe("--skip-invalid", () => {
  it("leaves out what is invalid, and tells it", async () => {
    const input = await open("name,category\nRex,1\n,2\nMia,x\nLeo,3\n", "a.csv", {
      skipInvalid: true,
    });
    const { rows, invalid, failure } = await input.check();
    expect({ rows, invalid }).toEqual({ rows: 4, invalid: 2 });
    expect(failure?.message).toMatch(/^2 rows are invalid in \S+$/);
    expect(failure?.facts.details?.map(({ line }) => line)).toEqual([3, 4]);
    const sent = [];
    for await (const batch of input.rows()) sent.push(...batch.map(({ index }) => index));
    expect(sent).toEqual([0, 3]);
    input.close();
  });

  it("sends nothing of a file that can't be read to its end", async () => {
    const text = 'name,category\nRex,1\nR"x,2\n';
    expect(await read(text, "a.csv", { skipInvalid: true })).toMatchObject({
      message: "1 row is invalid; nothing was sent",
    });
  });

  it("is suggested, after the flags that name values", async () => {
    const text = "name,category\nRex,Dog\nMia,Cat\nLeo,Dog\nMax,1";
    expect(await read(text, "a.csv", { command })).toHaveProperty("hints", [
      "Try it with: --value category:Dog=ID --value category:Cat=ID",
      "To send only the valid rows: pets add --from a.csv --skip-invalid",
    ]);
  });
});

describe("records", () => {
  it.each<readonly [string, string, readonly unknown[], object]>([
    [
      "a.csv",
      '\uFEFFname;category;Ort\r\n"Rex";1;"a;b"\r\n;2\r\n',
      [
        ["Rex", "1", "a;b"],
        ["", "2"],
      ],
      {
        columns: ["name", "category", "Ort"],
        delimiter: ";",
        lineEnd: "\r\n",
        hasByteOrderMark: true,
      },
    ],
    [
      "a.tsv",
      "name\tcategoryId\tx\nR\\tx\t1\ty\n",
      [["R\tx", "1", "y"]],
      {
        columns: ["name", "categoryId", "x"],
        delimiter: "\t",
        lineEnd: "\n",
        hasByteOrderMark: false,
      },
    ],
    [
      "a.json",
      '[ {"name":"Rex","n":1.0},\n7]',
      ['{"name":"Rex","n":1.0}', "7"],
      { lineEnd: "\n", hasByteOrderMark: false },
    ],
    [
      "a.ndjson",
      '{"name":"Rex"}\n\n{"x":1}',
      ['{"name":"Rex"}', '{"x":1}'],
      { lineEnd: "\n", hasByteOrderMark: false },
    ],
  ])("of %s have all that the file has", async (name, text, originals, shape) => {
    const input = await open(text, name, { ignoreFields: true });
    await input.check().catch(() => undefined);
    const found: unknown[] = [];
    for await (const records of input.records())
      found.push(...records.map(({ original }) => original));
    expect(found).toEqual(originals);
    expect(input.shape).toEqual(shape);
    input.close();
  });
});

async function hashOf(flags: Flags, name = "a.csv"): Promise<string> {
  const input = await open("name\tcategoryId\nRex\t1\n", name, flags);
  await input.check();
  input.close();
  return input.hash;
}

describe("the hash", () => {
  it("is another one for each way of reading the same bytes", async () => {
    const readings: readonly Flags[] = [
      {},
      { format: "tsv" },
      { ignoreFields: true },
      { map: ["name=name"] },
      { value: ["category:1=2"] },
      { value: ["category:1=3"] },
      { defaults: { status: "sold" } },
      { encoding: "windows-1252" },
      { noHeader: true, map: ["#1=name", "#2=category"], value: ["category:categoryId=1"] },
    ];
    const hashes = await Promise.all(readings.map((flags) => hashOf(flags)));
    expect(new Set(hashes).size).toBe(readings.length);
  });

  it.each<[string, Flags, string?]>([
    ["a format that is given and detected", { format: "csv" }],
    ["the encoding that is given and the default", { encoding: "utf-8" }],
    ["a file of another name", {}, "b.csv"],
    ["a run that skips invalid rows", { skipInvalid: true }],
    ["options that are given with their defaults", { map: [], value: [], noHeader: false }],
  ])("is the same for %s", async (_what, flags, name) => {
    expect(await hashOf(flags, name)).toBe(await hashOf({}));
  });

  it("is another one for the same bytes in a file whose name means another format", async () => {
    expect(await hashOf({}, "a.tsv")).not.toBe(await hashOf({}));
    expect(await hashOf({}, "a.tsv")).toBe(await hashOf({ format: "tsv" }));
  });
});
