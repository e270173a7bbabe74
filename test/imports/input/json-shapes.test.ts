import { describe, expect, it } from "vitest";
import { arrayRows, isTable } from "../../../src/imports/input/json-rows.ts";
import { readJson } from "../../../src/imports/input/json.ts";
import { InputText } from "../../../src/imports/input/text.ts";
import { cut, options } from "../support/any-pets.ts";
import { mebi, outcomeOf } from "../support/input.ts";

const textOf = (text: string, places: readonly number[] = []) => new InputText(cut(text, places));

const recordsOf = (text: string, items?: string, places: readonly number[] = []) => [
  ...readJson(textOf(text, places), "json", {
    ...options,
    ignoreFields: true,
    ...(items !== undefined && { items }),
  }),
];

const rex = '{"name":"Rex","categoryId":1}';
const mia = '{"categoryId":2,"name":"Mia"}';
const long = `"${"x".repeat(mebi + 1)}"`;

describe("an object of animals", () => {
  it.each<readonly [string, string | undefined, readonly string[]]>([
    [`{"-N1":${rex},"-N2":${mia}}`, undefined, ["1 Rex", "2 Mia"]],
    [` {"\\u002d" : ${rex}\n,"":${mia} } `, undefined, ["1 Rex", "2 Mia"]],
    [
      `{"a":${rex},"b":${mia},"c":7}`,
      undefined,
      ["1 Rex", "2 Mia", "3 must be a JSON object, not 7"],
    ],
    [
      `{"a":${rex},"b":${mia},"c":{}}`,
      undefined,
      ["1 Rex", "2 Mia", "3 is missing; categoryId is missing"],
    ],
    [`{"a":{"b":${rex},"c":${mia}}}`, "a", ["1 Rex", "2 Mia"]],
    [`[{"name":${rex},"id":${mia}}]`, "0", ["1 Rex", "2 Mia"]],
  ])("%s with --items %s is rows", (text, items, expected) => {
    const found = recordsOf(text, items).map(({ read }) =>
      [read.line, "pet" in read ? read.pet.name : read.message].join(" "),
    );
    expect(found).toEqual(expected);
  });

  it.each([
    `{"a":${rex}}`,
    `{"a":${rex},"b":{"name":"Mia"}}`,
    `{"a":${rex},"b":[]}`,
    `{"a":7,"b":${rex},"c":${rex}}`,
    '{"a":{},"b":{}}',
    `{"a":${rex},"b":${mia},"id":7}`,
    `{"Category":${rex},"b":${mia}}`,
  ])("is not %s", (text) => {
    expect(recordsOf(text)).toMatchObject([{ original: text }]);
    expect(recordsOf(`${text} ${rex}`)).toHaveLength(2);
  });

  it("is not the first of several values", () => {
    expect(recordsOf(`{"a":${rex},"b":${mia}}{"a":{}}`)).toHaveLength(2);
  });

  it.each([`{"a":{"b":${rex},"c":7}}`, '{"a":{"b":{},"c":{}}}', `{"a":{"b":${rex}}}`])(
    "is not in %s",
    (text) => {
      const message = 'has no array "a"';
      expect(recordsOf(text, "a")).toMatchObject([{ read: { message, fatal: "file" } }]);
    },
  );

  it("of large animals is told by their keys, as far as it can see", () => {
    const large = `{"name":"Rex","categoryId":1,"x":"${"x".repeat(mebi - 1000)}"}`;
    expect(recordsOf(`{"a":${large},"b":${large},"c":${rex}}`)).toHaveLength(3);
    expect(recordsOf(`{"a":{"x":${long}},"b":{"x":${long}}}`)).toMatchObject([
      { read: { message: "row longer than 1 MiB" } },
    ]);
  });

  it.each([
    [`{"a\\"":${rex},"b":${mia}}`, `{"#key":"a\\"","name":"Rex","categoryId":1}`],
    [`{"a":{ "#key":5 },"b":{"#key":6}}`, `{ "#key":5 }`],
  ])("%s keeps the key in the text of its rows", (text, original) => {
    expect(recordsOf(text)[0]).toHaveProperty("original", original);
  });

  it("has its keys as #key", async () => {
    const text = `{"Rex":{"categoryId":1},"Mia":{"categoryId":2}}`;
    expect(await outcomeOf(text, "a.json", { map: ["#key=name"] })).toEqual(["Rex 1", "Mia 2"]);
  });
});

describe("a table in JSON", () => {
  it.each<readonly [string, string | undefined, boolean]>([
    ["[[1]]", undefined, true],
    ["[[],7]", undefined, true],
    ['{"data":[["a"]]}', "data", true],
    ["[[[1]]]", "0", true],
    ["[7,[1]]", undefined, false],
    ["[{}]", undefined, false],
    ["[]", undefined, false],
    ["", undefined, false],
    ["[[1]]", "data", false],
    ["{}", undefined, false],
  ])("is %s with --items %s: %s", (text, items, expected) => {
    expect(isTable(textOf(text), items)).toBe(expected);
  });

  it("has cells as they are written", () => {
    const row = '["1",1.50,12345678901234567890,1e3,true,null,"",{"a":[1.0]},[]]';
    const [first] = arrayRows(textOf(`{"x":[\n${row}]}`), "x");
    const cells = ["1", "1.50", "12345678901234567890", "1e3", "true", "", "", '{"a":[1.0]}', "[]"];
    expect(first).toEqual({
      line: 1,
      textLine: 2,
      cells,
      isAbsent: cells.map((_cell, at) => at === 5),
    });
  });

  it.each([
    ['[["a"],{}]', "must be a JSON array, as the first is, not an object"],
    ['[["a"],"x"]', 'must be a JSON array, as the first is, not "x"'],
    [`[["a"],[${long}]]`, "row longer than 1 MiB"],
    ['[["a"],', /^invalid JSON: unexpected end of file \(line 1\)/],
  ])("may have a wrong row: %.20s", (text, message) => {
    const [, wrong, none] = arrayRows(textOf(text));
    const fault = { message: expect.stringMatching(message) };
    expect(wrong).toMatchObject({ line: 2, cells: [], isAbsent: [], fault });
    expect(none).toBeUndefined();
  });
});
