import { array, assert, constantFrom, dictionary, letrec, oneof, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { surveyArrays } from "../../../../src/imports/input/json/json-survey.ts";
import { arrayRows, isArrayTable, readJson } from "../../../../src/imports/input/json/json.ts";
import { InputText } from "../../../../src/imports/input/text.ts";
import { cut, cuts, options } from "../../support/any-pets.ts";
import { mebi, outcomeOf } from "../../support/input.ts";

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
    expect(isArrayTable(textOf(text), items)).toBe(expected);
  });

  it("has cells as they are written", () => {
    const row = '["1",1.50,12345678901234567890,1e3,true,null,"",{"a":[1.0]},[]]';
    const [first] = arrayRows(textOf(`{"x":[\n${row}]}`), "x");
    const cells = ["1", "1.50", "12345678901234567890", "1e3", "true", "", "", '{"a":[1.0]}', "[]"];
    expect(first).toEqual({
      line: 1,
      textLine: 2,
      cells,
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
    expect(wrong).toMatchObject({ line: 2, cells: [], fault });
    expect(none).toBeUndefined();
  });
});

/** Returns what is found, as `data (2)`. */
const surveyed = (text: Iterable<string>) =>
  surveyArrays(text).map(({ items, rows }) => `${items} (${rows})`);

describe("the arrays of a file", () => {
  it.each<readonly [string, readonly string[]]>([
    ['{"dogs":[{},{}],"cats":[{},{},{}]}', ["cats (3)", "dogs (2)"]],
    ['{"b":[{}],"a":[{"c":[[]]}]}', ["b (1)", "a (1)", "a.0.c (1)"]],
    ['{"a":[[1],[2]],"b":[1,{}],"c":[],"d":7}', ["a (2)"]],
    ['{"a":{"x":{"n":1},"y":{"n":2},"z":7}}', ["a (3)"]],
    ['{"a":[null,{},null,{}],"b":[null,1,{}],"c":[null]}', ["a (4)"]],
    ['{"links":[{},{}],"fields":[{},{}],"data":[{}]}', ["data (1)", "links (2)", "fields (2)"]],
    ['{"a":{"x":{"n":1},"y":{"m":2}}}', []],
    [
      '[{"type":"header"},{"type":"table","name":"animals","data":[{"a":1},{"a":2}]}]',
      ["1.data (2)"],
    ],
    ['[{"a":1},{"a":2}]', []],
    ['{"a":{"n":1},"b":{"n":2}}', []],
    [
      '{"meta":{"view":{"columns":[{},{},{}]}},"Meta-Data":[{}],"data":[[1]],"metals":[{}]}',
      ["data (1)", "metals (1)", "meta.view.columns (3)", "Meta-Data (1)"],
    ],
    [
      `{"a":[${'{"b":[{}]},'.repeat(30)}{}]}`,
      ["a (31)", ...Array.from({ length: 20 }, (_, at) => `a.${at}.b (1)`)],
    ],
    [
      `{"\\u0007":[{}],"${"x".repeat(101)}":[{}],"${"x".repeat(100)}":[{}]}`,
      [`${"x".repeat(100)} (1)`],
    ],
    [`{${long}:[{}]}`, []],
    ['{"a":[1],"a":[{}]}', []],
    ['{"a":[{}],"a":[{},{}]}', ["a (1)"]],
    [`${'{"a":'.repeat(200)}[{}]${"}".repeat(200)}`, []],
    ['{"a":[{},{}],"b":[{"c":[[1],[2],[3]]},{}', ["b.0.c (3)", "a (2)", "b (2)"]],
    ['{"a":[{}]}{"a":[{}]}', []],
    ["7", []],
    ["", []],
  ])("are found in %.80s", (text, expected) => {
    expect(surveyed([text])).toEqual(expected);
  });

  it("are the hundred largest of many", () => {
    const arrays = Array.from({ length: 900 }, (_, at) => `"${at}":[${"7,".repeat(at)}7]`);
    const members = arrays.join().replaceAll("[7", "[{}");
    expect(surveyed([`{"a":{${members}},"b":{${members}}}`])).toEqual(
      Array.from({ length: 50 }, (_, at) => 899 - at).flatMap((at) =>
        ["a", "b"].map((key) => `${key}.${at} (${at + 1})`),
      ),
    );
  });

  it("are not looked for in more than a thousand members of an object", () => {
    const members = Array.from({ length: 1001 }, (_, at) => `"${at}":7`).join();
    expect(surveyed([`{${members},"a":[{}]}`])).toEqual([]);
  });
});

const anyKey = constantFrom("a", "b", "meta", "0", "1", "a.b", "é😀", "");
const anyRecord = constantFrom({ n: 1 }, { n: [{}] }, { n: { a: { n: 1 }, b: { n: 2 } } });

/** JSON with records somewhere. */
const { value: anyValue } = letrec<{ value: unknown }>((tie) => ({
  value: oneof(
    { maxDepth: 5 },
    constantFrom<unknown>(null, 1.5, "[{", '\\"'),
    array(anyRecord, { maxLength: 24 }),
    dictionary(anyKey, anyRecord),
    array(tie("value"), { maxLength: 24 }),
    dictionary(anyKey, tie("value")),
  ),
}));

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const keysOf = (value: unknown): string =>
  isObject(value) && !Array.isArray(value) ? Object.keys(value).sort().join() : "";

/** Yields all that `--items` would stop at, by its path, with how many rows it has, none if it is no array of rows. */
function* placesIn(value: unknown, path?: string): Generator<readonly [string, number]> {
  if (!isObject(value)) return;
  const isArray = Array.isArray(value);
  const [first, second] = Object.values(value).filter((each) => !isArray || each !== null);
  const isRows = isArray
    ? isObject(first)
    : keysOf(first) !== "" && keysOf(first) === keysOf(second);
  const entries = Object.entries(value);
  if (path !== undefined && (isArray || isRows)) yield [path, isRows ? entries.length : 0];
  for (const [key, member] of isArray || isRows ? entries.slice(0, 20) : entries)
    yield* placesIn(member, path === undefined ? key : `${path}.${key}`);
}

it("all that is found is what --items reads, however the text is split", () => {
  assert(
    property(anyValue, cuts, constantFrom(0, 1), (value, places, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      const found = surveyArrays(textOf(text, places));
      const all = new Map([...placesIn(value)].toReversed());
      const expected = [...all].filter(([, rows]) => rows > 0).map(([items]) => items);
      expect(found).toHaveLength(Math.min(100, expected.length));
      for (const { items, rows } of found) {
        expect(expected).toContain(items);
        const records = recordsOf(text, items, places);
        expect([items, records.length]).toEqual([items, rows]);
        expect(records.filter(({ read }) => "fatal" in read)).toEqual([]);
      }
    }),
  );
});
