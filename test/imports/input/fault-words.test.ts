import { describe, expect, it } from "vitest";
import { outcomeOf } from "../support/input.ts";

const not = "is not a field of an animal";
const first = `${not} (name, categoryId, status)`;
const row = (extra: string, count: number) =>
  `{"name":"Rex","categoryId":1${Array.from({ length: count }, (_none, at) => `,"x${at}":${at}`).join("")}${extra}}\n`;

describe("what rows of JSON have in common", () => {
  it.each<[string, string, string[], string[]]>([
    [
      "an unknown field",
      row("", 1).repeat(1200),
      [`1 x0 ${first}; 1,200 rows have it`],
      ["Try it with: --ignore-fields"],
    ],
    [
      "twelve unknown fields",
      row("", 12).repeat(3),
      [
        `1 x0 ${first}; 3 rows have it`,
        ...Array.from({ length: 8 }, (_none, at) => `1 x${at + 1} ${not}; 3 rows have it`),
        `1 x9 ${not}; 3 rows have it, and so are 2 others`,
      ],
      ["Try it with: --ignore-fields"],
    ],
    [
      "fields that are missing in all rows",
      '{"n":"A"}\n{"n":"B","z":1}\n{"n":"C"}',
      [
        `1 n ${first}; 3 rows have it`,
        "1 name is missing in all 3 rows",
        "1 categoryId is missing in all 3 rows",
        `2 z ${first}`,
      ],
      [
        "Try it with: --map '<column>=name' --map '<column>=categoryId'",
        "If all have the same category: --map '<column>=name' --category '<id>' --ignore-fields",
      ],
    ],
    [
      "an unknown field, and faults of rows",
      `${row("", 1)}{"name":"B","categoryId":"x","x0":2}\n{"name":"","categoryId":1,"x0":2}\n{"name":"D"}`,
      [
        `1 x0 ${first}; 3 rows have it`,
        '2 categoryId must be an integer, not "x"',
        "3 name must not be empty",
        "4 categoryId is missing",
      ],
      ["Try it with: --value 'category:x=<id>' --ignore-fields"],
    ],
    [
      "a field with a typo",
      `${row(',"Categry":2', 0)}{"name":"C","Categry":3}\n`,
      [
        '1 Categry is not a field of an animal (did you mean "categoryId"?); 2 rows have it',
        "2 categoryId is missing",
      ],
      ["Try it with: --ignore-fields"],
    ],
    [
      "other fields in each row",
      ["a", "b", "c"].map((key) => row(`,"${key}":1`, 0)).join(""),
      ["a", "b", "c"].map((key, at) => `${at + 1} ${key} ${first}`),
      ["Try it with: --ignore-fields"],
    ],
  ])("is told once: %s", async (_what, text, details, hints) => {
    expect(await outcomeOf(text, "a.ndjson")).toMatchObject({ details, hints });
    expect(await outcomeOf(text, "a.ndjson")).not.toHaveProperty("more");
    const array = `[${text.trim().split("\n").join(",\n")}]`;
    expect(await outcomeOf(array, "a.json")).toMatchObject({ details, hints });
  });
});

const owners = '{"owner":"Eva","pets":[{"name":"Rex","kind":1}]}';

describe("JSON whose animals are not its rows", () => {
  it.each<[string, string, string, string[]]>([
    [
      "a.json",
      '{"meta":{"columns":[{"a":1},{"a":2},{"a":3}]},"cats":[{"n":1}],"dogs":[{"n":1},{"n":2}]}',
      "has its rows inside: --items dogs (2 rows), --items cats (1 row), --items meta.columns (3 rows)",
      ["Try it with: --items dogs", "Or: --items cats", "Or: --items meta.columns"],
    ],
    [
      "a.json",
      '[{"type":"header","version":"5"},{"type":"database","name":"x"},{"type":"table","name":"pets","data":[{"n":1},{"n":2}]}]',
      "has its rows inside: --items 2.data (2 rows)",
      ["Try it with: --items 2.data"],
    ],
    [
      "a.json",
      `[${owners},${owners}]`,
      'each row has an array inside, "pets"',
      [
        "Try it with: --map '<column>=name' --map '<column>=categoryId'",
        "If its elements are the animals: jq -c '.[].pets[]'",
      ],
    ],
    [
      "a.ndjson",
      `${owners}\n${owners}`,
      'each row has an array inside, "pets"',
      [
        "Try it with: --map '<column>=name' --map '<column>=categoryId'",
        "If its elements are the animals: jq -c '.pets[]'",
      ],
    ],
  ])("%s: %s", async (name, text, message, hints) => {
    expect(await outcomeOf(text, name)).toMatchObject({
      message: expect.stringContaining(message),
      hints,
    });
  });

  it.each([
    [`${owners}\n${owners}`, ".pets[]"],
    [`{"a":${owners},"b":${owners}}`, ".[].pets[]"],
  ])(
    "owners that stand one after the other, or by keys, are told in a filter of each: %s",
    async (text, filter) => {
      const found = await outcomeOf(text, "a.json");
      expect("hints" in found && found.hints.join()).toContain(`jq -c '${filter}'`);
    },
  );

  it("owners at --items, or below a key with a blank, are told in a filter that jq can read", async () => {
    const inside = await outcomeOf(`{"data":[${owners},${owners}]}`, "a.json", { items: "data" });
    const blank = owners.replace("pets", "her pets");
    const found = await outcomeOf(`[${blank},${blank}]`, "a.json");
    expect("hints" in found && found.hints.join()).not.toMatch(/\.her pets/);
    expect("hints" in inside && inside.hints.join()).toContain("jq -c '.data[].pets[]'");
  });

  it("a lone row with a wrong word, and no status, is an animal too", async () => {
    const text = '[{"name":"Rex","category":"Dog","toys":[{"a":1}]}]';
    expect(await outcomeOf(text, "a.json")).toMatchObject({
      hints: ["Try it with: --value 'category:Dog=<id>' --ignore-fields"],
    });
  });

  it("rows with names are animals, whatever is in them", async () => {
    const animal = '{"name":"Rex","photos":[{"name":"rex.jpg"}]}';
    const found = await outcomeOf(`[${animal},${animal.replaceAll("ex", "oy")}]`, "a.json");
    const hints = "hints" in found ? found.hints.join() : "";
    expect(hints).not.toContain("jq");
    expect(hints).toContain("--category '<id>'");
  });

  it.each([
    '{"name":["Rex","Mia"],"category":[1,2]}',
    '{"name":{"0":"Rex","1":"Mia"},"category":{"0":1,"1":2}}',
  ])("is written by columns: %s", async (text) => {
    const details = [
      '1 is written by columns, not by rows; with pandas, write it with orient="records"',
    ];
    expect(await outcomeOf(text, "a.json")).toMatchObject({ details, hints: [] });
  });
});
