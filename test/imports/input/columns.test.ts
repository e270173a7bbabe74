import { describe, expect, it } from "vitest";
import { addColumns } from "../../../src/imports/input/columns.ts";
import { type Flags, outcomeOf, read } from "../support/input.ts";

describe("--map", () => {
  it.each<readonly [string, string, readonly string[], object]>([
    ["a.csv", "Tier,name,categoryId\nRex,x,1", ["Tier=name"], ["Rex 1"]],
    ["a.csv", "Tier,Art\nRex,1", ["tier=name", "ART =category"], ["Rex 1"]],
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
      { details: [expect.stringMatching(/^1 a\.b is not a field/)] },
    ],
    ["a.json", '[{"name":"x","dog":"Rex","categoryId":1}]', ["dog=name"], ["Rex 1"]],
    ["a.csv", "Name,Name,category\nx,Rex,1", ["#2 Name=name"], ["Rex 1"]],
    ["a.csv", "Name,Art,category\nRex,7,1", ["#2 ART =category"], ["Rex 7"]],
    ["a.csv", '"Pet\r\nName",category\nRex,1', ["pet  NAME=name"], ["Rex 1"]],
    ["a.csv", '" Pet\n Name ",category\nRex,1', ["#1 Pet Name=name"], ["Rex 1"]],
    ["a.csv", "<column>,category\nRex,1", ["#1 <column>=name"], ["Rex 1"]],
    ["a.csv", "#2 x,category\nRex,1", ["#2 x=name"], ["Rex 1"]],
    ["a.ndjson", '{"NAME":"Rex","Category":1,"STATUS":"Sold"}', [], ["Rex 1 sold"]],
    ["a.ndjson", '{"name":"Rex","categoryid":"1"," status ":"sold"}', [], ["Rex 1 sold"]],
    ["a.ndjson", '{"Pet Data":{"Name":"Rex"},"categoryId":1}', ["pet data.name=name"], ["Rex 1"]],
    [
      "a.ndjson",
      '{"name":"Rex","category":1,"CATEGORYID":2}',
      [],
      { details: ["1 has more than one key for categoryId: category, CATEGORYID"] },
    ],
    [
      "a.ndjson",
      '{"name":"Rex","category":{"id":1}}',
      [],
      { hints: ["Try it with: --map category.id=categoryId"] },
    ],
  ])("of %s with %j: %j", async (name, text, map, expected) => {
    expect(await outcomeOf(text, name, { map })).toMatchObject(expected);
  });

  it.each(["a", "a=", "=name", "a=id", " =name"])("refuses %j", (text) => {
    expect(() => addColumns(new Map(), [text])).toThrow(
      `--map must be COLUMN=FIELD, with name, categoryId or status as FIELD, not ${JSON.stringify(text)}`,
    );
  });

  it.each<readonly [string[], string]>([
    [["Animal=name", "ANIMAL=status"], '--map "ANIMAL=status" contradicts --map "Animal=name"'],
    [["Animal=name", "Tier=name"], '--map "Tier=name" contradicts --map "Animal=name"'],
  ])("refuses %j", (values, message) => {
    expect(() => addColumns(new Map(), values)).toThrow(message);
  });

  it.each(["<column>=name", "<column>=category"])("says that %j is to be replaced", (value) => {
    expect(() => addColumns(new Map(), [value])).toThrow(
      expect.objectContaining({ hints: ["Replace <column> with the name of the column."] }),
    );
  });

  it("takes the same mapping twice", () => {
    expect(addColumns(new Map(), ["Animal=name", "animal=name"]).size).toBe(1);
  });
});

const results = "name,kind,kind,outcome,id,error\nRex,1,2,added,9,\n";

it.each<[string, string, Flags]>([
  ["a.csv", results, { key: "ID" }],
  ["a.csv", results.replace(",error", ""), { key: "id" }],
  ["a.csv", results.replace("outcome,", ""), { key: "id" }],
  ["a.csv", results, { map: ["Outcome=status"] }],
  ["a.csv", results, { map: ["#3 kind=category"] }],
  ["a.csv", results, { map: ["#2=category"] }],
  ["a.csv", "#1,#2,outcome,id,error\nRex,1,added,9,\n", { map: ["#3=name"], header: false }],
  ["a.tsv", results.replaceAll(",", "\t"), { key: "#3 kind" }],
  ["a.ndjson", '{"name":"Rex","categoryId":1,"outcome":"added","id":9}', { key: "ID" }],
  ["a.json", '[{"name":"Rex","outcome":"invalid"}]', { map: ["Outcome=status"] }],
  ["a.json", '[\n{"#1":"Rex","outcome":"invalid"}\n]', { map: ["#2=name"], header: false }],
])(
  "%s: results %j are refused where an option names another column: %j",
  async (name, text, flags) => {
    expect(await outcomeOf(text, name, flags)).toMatchObject({
      message: expect.stringMatching(/has results.* is another column; correct the file itself$/),
      hints: [],
    });
  },
);

it.each<[string, string, Flags]>([
  ["r.csv", "name,category,outcome,id,error\nRex,1,added,9,\n", { sheet: "Tiere" }],
  ["r.csv", "name,category,outcome,id,error\nRex,1,added,9,\n", { skipLines: 2, header: false }],
  ["r.csv", "name,category,outcome,id,error\nRex,1,added,9,\n", { format: "ndjson" }],
  ["r.json", '[\n{"name":"Rex","category":1,"outcome":"added","id":9}\n]\n', { items: "d.a" }],
  ["r.ndjson", '{"name":"Rex","category":1,"outcome":"known"}\n', { items: "d", format: "json" }],
  [
    "r.json",
    '[\n{"#1":"Rex","category":1,"outcome":"valid"}\n]',
    { map: ["#1=name"], header: false },
  ],
  [
    "r.csv",
    'name,category,"a\nb",outcome,id,error\nRex,1,,added,9,\n',
    { skipLines: 2, ignoreFields: true },
  ],
])("%s: results are read as such, whatever their input was: %j %j", async (name, text, flags) => {
  expect(await outcomeOf(text, name, flags)).toEqual(["Rex 1"]);
});

it.each<[string, string]>([
  [
    "r.csv",
    'name,weight,categoryId,,outcome,id,error\nRex,3,5,1,invalid,,"value in column #4, which has no name"\n',
  ],
  ["r.csv", 'name,category,outcome,id,error\n"Total",2,invalid,,looks like a heading or a total\n'],
  ["r.csv", 'name,category,outcome,id,error\n"""bad""x",1,invalid,,text after a closing quote\n'],
  [
    "r.tsv",
    "name\tcategory\toutcome\tid\terror\n[1]\t1\tinvalid\t\tname must be a string, not an array\n",
  ],
  [
    "r.ndjson",
    '{"name":"Total","category":2,"outcome":"invalid","error":{"message":"looks like a heading"}}',
  ],
])(
  "%s: a row that was invalid for its form stays so until it is cleared: %j",
  async (name, text) => {
    expect(await outcomeOf(text, name, { ignoreFields: true })).toMatchObject({
      details: [expect.stringMatching(/was invalid: .*; clear its outcome once it is correct$/)],
    });
    expect(await outcomeOf(text.replace("invalid", ""), name, { ignoreFields: true })).toHaveLength(
      1,
    );
  },
);

it.each<[string, string, Flags]>([
  ["a.csv", "Ours\n\nname,category,outcome,id,error\nRex,1,added,9,\n", { skipLines: 2 }],
  ["a.json", '{"outcome":"unknown","dogs":[{"name":"Rex","category":1}]}', { items: "dogs" }],
  [
    "a.json",
    '[{"id":9,"name":"Rex","category":1,"outcome":"known","x":7}]',
    { key: "id", ignoreFields: true },
  ],
])("%s: what only has an outcome is no results: %j %j", async (name, text, flags) => {
  expect(await outcomeOf(text, name, flags)).toEqual(["Rex 1"]);
});

it("the header of results is no title, whatever an animal is called", async () => {
  const found = await outcomeOf("Tier,Art,outcome,id,error\nNom,1,added,9,\n", "r.csv");
  expect("hints" in found && found.hints.join()).not.toContain("--skip-lines");
});

it("results of TSV without an ending are TSV", async () => {
  const text = "name\tcategory\tnote\toutcome\tid\terror\nA\\tB\t1\tx\tadded\t1\t\n";
  expect(await outcomeOf(text, "r", { ignoreFields: true })).toEqual(["A\tB 1"]);
});

it("an outcome that is the animal's own may be its status", async () => {
  const flags = { map: ["Outcome=status"], value: ["status:Adoption=sold"] };
  expect(await outcomeOf("name,category,Outcome\nA,1,Adoption\n", "a.csv", flags)).toEqual([
    "A 1 sold",
  ]);
});

it.each([
  [
    "#1,#2,outcome,id,error\nRex,1,added,7,\nMia,2,invalid,,x\n",
    { header: false, map: ["#1=name", "#2=category"] },
  ],
  ["name,category,outcome,id,error\nRex,1,added,7,\nMia,2,invalid,,x\n", { skipLines: 2 }],
])("results begin with their header, whatever their input began with: %j", async (text, flags) => {
  expect(await outcomeOf(text, "a.csv", flags)).toEqual(["Rex 1", "Mia 2"]);
});

it("a first row that is data is none of the names that only places have", async () => {
  const flags = { map: ["#1=name", "#3=category", "#2=status"] };
  expect(await outcomeOf("Rex,available,1\nMia,sold,2\n", "a.csv", flags)).toMatchObject({
    hints: ["Try it with: --no-header"],
  });
});

const columns = "the columns are name, categoryId, status";
const placeholders = "--map '<column>=name' --map '<column>=categoryId'";
const single = "--map '<column>=name' --category '<id>'";
const animal = "If the first row is an animal: --no-header";

describe("a header", () => {
  it.each<[string, Flags, string, (string | undefined)?, ...string[]]>([
    [
      "Animal Name,Animal Type,Outcome Type,Color\nRex,Dog,x,y",
      {},
      `no column for name and categoryId; unknown columns "Animal Name", "Animal Type", "Outcome Type", "Color"; ${columns}`,
      "--map 'Animal Name=name' --map 'Animal Type=categoryId' --ignore-fields --value 'category:Dog=<id>'",
    ],
    [
      "nmae,category,staus\n",
      {},
      `no column for name; unknown columns "nmae" (did you mean "name"?), "staus" (did you mean "status"?); ${columns}`,
      "--map nmae=name --map staus=status",
    ],
    [
      "name,x\n",
      { map: ["Tier=name", "Art=category"] },
      `--map names "Tier", "Art", but the columns are name, x; no column for categoryId; unknown column "x"; ${columns}`,
      undefined,
    ],
    [
      "Chip,Owner Name,State,Cat\n",
      {},
      `no column for name and categoryId; unknown columns "Chip", "Owner Name", "State" (did you mean "status"?), "Cat" (did you mean "categoryId"?); ${columns}; if it is no header, the first row is #1 "Chip", #2 "Owner Name", #3 "State", #4 "Cat"`,
      `${placeholders} --ignore-fields`,
      `${animal} ${placeholders} --ignore-fields`,
      `If all have the same category: ${single} --ignore-fields`,
    ],
    [
      ",Name,,Ort\n",
      { ignoreFields: true },
      "no column for categoryId",
      "--map '<column>=categoryId'",
      "If all have the same category: --category '<id>'",
    ],
    [
      ",Name,Species\n",
      {},
      `no column for categoryId; unknown column "Species"; ${columns}`,
      "--map Species=categoryId --ignore-fields",
    ],
    [
      "name,categoryId, Name ,x\n",
      {},
      "the header has more than one column for name: #1 name, #3 Name",
      "--map '<column>=name'",
    ],
    ["name\nRex", {}, "no column for categoryId", "--category '<id>'"],
    [
      "Rex;1;2024-01-05;SOLD\n",
      {},
      'expected a header such as name,categoryId,status; the first row is #1 "Rex", #2 "1", #3 "2024-01-05", #4 "SOLD"',
      `--no-header ${placeholders} --map '#4=status' --ignore-fields`,
      `If all have the same category: --no-header ${single} --map '#4=status' --ignore-fields`,
    ],
    [
      "Rex,1\n",
      { header: false },
      'no column for name and categoryId; the first row is #1 "Rex", #2 "1"',
      placeholders,
      `If all have the same category: ${single} --ignore-fields`,
    ],
    [
      "276001234,Rex,Dog\n",
      { header: false, map: ["#2=name"] },
      'no column for categoryId; the first row is #1 "276001234", #2 "Rex", #3 "Dog"',
      "--map '<column>=categoryId' --ignore-fields",
      "If all have the same category: --category '<id>' --ignore-fields",
    ],
  ])("%j with %j", async (text, flags, detail, hint, ...others) => {
    expect(await outcomeOf(text, "a.csv", flags)).toEqual({
      message: "invalid header; nothing was sent",
      details: [`1 ${detail}`],
      hints: hint === undefined ? [] : [`Try it with: ${hint}`, ...others],
    });
  });

  it("may be missing", async () => {
    const flags = { header: false, map: ["#1=name", "#3=category"] };
    expect(await outcomeOf("Rex,,1\nMia,,2\n", "a.csv", flags)).toEqual(["Rex 1", "Mia 2"]);
    const found = await outcomeOf("Rex,x,1\n", "a.csv", flags);
    expect(found).toHaveProperty("hints", ["Try it with: --ignore-fields"]);
    const ignoring = { ...flags, ignoreFields: true };
    expect(await outcomeOf("Rex,x,1\n", "a.csv", ignoring)).toEqual(["Rex 1"]);
  });

  it("may have columns of results, which are ignored", async () => {
    const text = "name,categoryId,Outcome,ID,error\nRex,1,added,7,\n";
    expect(await outcomeOf(text, "a.csv")).toEqual(["Rex 1"]);
    const json = '{"name":"Rex","categoryId":1,"outcome":"x","id":null,"error":{"code":"x"}}';
    expect(await outcomeOf(json, "a.ndjson")).toEqual(["Rex 1"]);
  });

  it.each(["\n", "\r\n", "\r"])("may come after titles that end with %j", async (end) => {
    const text = ["Shelter, 2026", "", "name,category", "Rex,1", ",2"].join(end);
    const flags = { skipLines: 2 };
    expect(await outcomeOf(text, "a.csv", flags)).toMatchObject({
      details: ["5 name must not be empty"],
    });
    expect(await outcomeOf(text, "a.csv", { ...flags, skipLines: 9 })).toMatchObject({
      message: expect.stringMatching(/a\.csv has no lines after --skip-lines 9$/),
    });
  });
});

it.each<[string, string, string, Flags, (string | undefined)[]]>([
  [
    "a column, in any case",
    "a.csv",
    "name,Chip,category\nRex, A 1 ,1\nMia,,1\n",
    { key: "chip " },
    ["A 1", ""],
  ],
  ["its place", "a.csv", "name,category,\nRex,1,7\n", { key: "#3" }, ["7"]],
  [
    "a place without a header",
    "a.csv",
    "7,Rex,1\n",
    { key: "#1", header: false, map: ["#2=name", "#3=category"] },
    ["7"],
  ],
  [
    "a column that is ignored",
    "a.tsv",
    "id\tname\tcategoryId\n07\tRex\t1\n",
    { key: "ID" },
    ["07"],
  ],
  ["a column of a field", "a.csv", "name,category\nRex,1\n", { key: "name" }, ["Rex"]],
  [
    "a key of JSON",
    "a.ndjson",
    '{"name":"Rex","categoryId":1,"chip":1e3}\n{"name":"Mia","categoryId":1,"chip":null}',
    { key: "chip" },
    ["1e3", ""],
  ],
  [
    "a path",
    "a.json",
    '[{"name":"Rex","categoryId":1,"ids":{"chip":9007199254740993}},{"name":"Mia","categoryId":1}]',
    { key: "ids.chip" },
    ["9007199254740993", ""],
  ],
  [
    "its key in an object of rows",
    "a.json",
    '{"k 1":{"name":"Rex","categoryId":1},"k2":{"name":"Mia","categoryId":1}}',
    { key: "#key" },
    ["k 1", "k2"],
  ],
])("identifies animals by %s", async (_what, file, text, flags, keys) => {
  expect((await read(text, file, flags)).map(({ key }) => key)).toEqual(keys);
});

const chips = "name,Chip,Chip,category\nRex,1,2,1\n";

it("a key may be one of several columns of a title, if its place is named", async () => {
  const [row] = await read(chips, "a.csv", { key: "#3 chip", ignoreFields: true });
  expect(row?.key).toBe("2");
  expect(await outcomeOf(chips, "a.csv", { key: "chip" })).toMatchObject({
    details: ["1 the header has more than one column for --key: #2 Chip, #3 Chip"],
  });
});

it.each<[string, string, Flags, string]>([
  ["a.csv", "name,category\nRex,1\n", { key: "Chp" }, '--key names "Chp"'],
  ["a.csv", "name,category,Chip\n", { key: "Chp" }, '--key names "Chp" (did you mean "Chip"?)'],
  [
    "a.csv",
    "Name,Chip,category\n",
    { key: "#2 Tag" },
    '--key names "#2 Tag", but column #2 is "Chip"',
  ],
  [
    "a.csv",
    "name,Art,Tag\n",
    { map: ["#2 Tag=category"] },
    '--map names "#2 Tag", but column #2 is "Art"',
  ],
  [
    "a.csv",
    "Name,Name,category\n",
    { map: ["#2 Tag=name"] },
    '--map names "#2 Tag", but column #2 is "Name"',
  ],
  ["a.csv", "Name,Name,category\n", { map: ["#4 Name=name"] }, '--map names "#4 Name"'],
  [
    "a.csv",
    "Tierart,category,Tiername\n",
    { map: ["Teirname=name"], key: "Teirart" },
    '--map names "Teirname" (did you mean "Tiername"?); --key names "Teirart" (did you mean "Tierart"?)',
  ],
  [
    "a.ndjson",
    '{"name":"Rex","categoryId":1}',
    { key: "Chp" },
    '--key names "Chp", but no row has it',
  ],
  [
    "a.ndjson",
    '{"nmae":"Rex","categoryId":1}',
    { map: ["nmea=name"] },
    '--map names "nmea" (did you mean "nmae"?), but no row has it',
  ],
  [
    "a.ndjson",
    '{"pet":{"nmae":"Rex"},"categoryId":1}',
    { map: ["pet.name=name"] },
    '--map names "pet.name" (did you mean "pet.nmae"?), but no row has it',
  ],
])(
  "what %s of %j has not is named as it was typed, with the nearest: %j",
  async (file, text, flags, start) => {
    const found = await outcomeOf(text, file, flags);
    const { message = "", details = [], hints } = "hints" in found ? found : {};
    expect(details[0]?.replace("1 ", "") ?? message).toContain(start);
    expect(hints).toEqual([]);
  },
);
