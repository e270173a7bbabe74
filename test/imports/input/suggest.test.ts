import { expect, it } from "vitest";
import { stemsOf } from "../../../src/imports/input/suggest.ts";
import { outcomeOf, rex } from "../support/input.ts";

const next = (flag: string) => `pets add --from a.csv ${flag}`;

const nameless = '{"categoryId":1}\n{"name":"Rex","categoryId":1}\n';

it.each([
  ['{"name":"Rex","categoryId":1,"age":7}', ["Try it with: --ignore-fields"]],
  ['{"name":"Rex"}', ["Try it with: --category '<id>'"]],
  [`{"name":"Rex","categoryId":"${"x".repeat(41)}"}`, ["Try it with: --value 'category:*=<id>'"]],
  [`{"${"x".repeat(300)}":[{}]}`, ["Try it with: --map '<column>=name' --category '<id>'"]],
  [nameless, ["Try it with: --name '<name>'"]],
  // It cures not all, and rows that say nothing of an animal are none.
  [`${nameless}{"name":"Ida"}`, []],
  [`${nameless}{"index":{}}`, ["Try it with: --ignore-fields"]],
  ['{"error":{"code":401,"name":"Unauthorized"}}', []],
  // No command line can have these.
  ['{"name":"Rex","categoryId":"do\\u0000g"}', []],
  [
    '{"name":"Rex","a\\ud800":"Dog"}',
    [
      "Try it with: --map '<column>=categoryId'",
      "If all have the same category: --category '<id>' --ignore-fields",
    ],
  ],
  [
    '{"name":{"en":"Rex"},"categoryId":{"$numberLong":"1"}}',
    [
      "Try it with: --map '<column>=name' --map '<column>=categoryId'",
      "If all have the same category: --map '<column>=name' --category '<id>' --ignore-fields",
    ],
  ],
])("invalid rows of %s come with the hints %j", async (content, hints) => {
  expect(await outcomeOf(content, "a.ndjson")).toMatchObject({ hints });
});

it("--skip-invalid is suggested, after the flags that name values", async () => {
  const text = "name,category\nMia,Cat\nRex,Dog\nLeo,dog \nMax,1";
  expect(await outcomeOf(text, "a.csv", { next })).toHaveProperty("hints", [
    "Try it with: --value 'category:Dog=<id>' --value 'category:Cat=<id>' --value 'category:*=<id>'",
    "To send only the valid rows: pets add --from a.csv --skip-invalid",
  ]);
});

it("a word that ends with * is not offered, as it would be the beginning of others", async () => {
  const text = "name,category\nMia,Dog*\nRex,Dog house\nLeo,Cat\n";
  const found = await outcomeOf(text, "a.csv");
  expect("hints" in found && found.hints.join()).not.toContain("Dog*");
});

it("--name takes not the place of a column of names", async () => {
  const text = "Animal Name,Species\nBello,Dog\n,Cat\n";
  expect(await outcomeOf(text, "a.csv", { name: "Unnamed" })).toMatchObject({
    hints: [expect.stringContaining("--map 'Animal Name=name' --map Species=categoryId")],
  });
  expect(await outcomeOf("Rasse,Species\nMix,1\n", "a.csv", { name: "x" })).toMatchObject({
    hints: ["Try it with: --map Species=categoryId --ignore-fields"],
  });
});

it("keys of an object of rows may be the names", async () => {
  const text = '{"Bella":{"category":1},"Tom":{"category":2}}';
  expect(await outcomeOf(text, "a.json")).toMatchObject({
    hints: ["Try it with: --map '<column>=name'"],
  });
  expect(await outcomeOf(text, "a.json", { map: ["#key=name"] })).toEqual(["Bella 1", "Tom 2"]);
});

it("words that are translated already are not offered again", async () => {
  const text = "name,category,Ort\nMia,Dog,A\n";
  expect(await outcomeOf(text, "a.csv", { value: ["category:dog=1"] })).toMatchObject({
    hints: ["Try it with: --ignore-fields"],
  });
});

it.each([
  [
    "Tier,Art\nRex,1\n",
    [
      "Try it with: --map '<column>=name' --map '<column>=categoryId'",
      "If the first row is an animal: --no-header --map '<column>=name' --map '<column>=categoryId'",
      "If all have the same category: --map '<column>=name' --category '<id>' --ignore-fields",
    ],
  ],
  [
    "name,Art,x\nRex,1,2\n",
    [
      "Try it with: --map '<column>=categoryId' --ignore-fields",
      "If all have the same category: --category '<id>' --ignore-fields",
    ],
  ],
  ["name,status\nRex,sold\n", ["Try it with: --category '<id>'"]],
  [
    "name,Breed,category\nRex,Pug,Dog\nName,Breed,Species\nMia,Mix,Cat\n",
    [
      "Try it with: --ignore-fields --value 'category:Dog=<id>' --value 'category:Cat=<id>' --value 'category:*=<id>'",
    ],
  ],
])("the header of %j comes with the hints %j", async (content, hints) => {
  expect(await outcomeOf(content, "a.csv")).toMatchObject({ hints });
});

it.each([
  ["Adopted", "Adopted"],
  ["Adopted 01/02/2024", "Adopted *"],
  ["Adopted (2024-1-2) twice 2025-1-1", "Adopted (2024-1-2) twice *"],
  ["Adopted 01/02/2024 10:30 am", "Adopted *"],
  ["Adopted 01/02/2024, returned", "Adopted 01/02/2024, returned"],
  ["2024-01-05", "20*"],
  ["05/01/2024 10:00", "05/01/2024 10:00"],
  ["1.2.2024", "1.2.2024"],
  ["12024-01-05", "12024-01-05"],
  ["1/2/3/4/5", "1/2/3/4/5"],
  ["24", "24"],
])("the status %j is told with all that differ in the date alone: %j", (text, stem) => {
  expect(stemsOf(text)).toBe(stem);
});

it.each([
  [
    "name;category;status\nA;1;Adopted 01/02/2024\nB;1;Adopted 03/04/2024\nC;1;2024-01-01\nD;1;2023-01-02\nE;1;frei\n",
    "Try it with: --value 'status:Adopted *=<status>' --value 'status:20*=<status>' --value 'status:frei=<status>' --value 'status:*=<status>'",
  ],
  [
    "Tiername;Art;Stand\nA;Hund;frei\nB;Katze;weg\nC;hund;\n",
    "Try it with: --map Tiername=name --ignore-fields --value 'category:Hund=<id>' --value 'category:Katze=<id>' --value 'category:*=<id>'",
  ],
  [
    "Name;Species;Adoption Status;x\nA;Dog;avialable;1\nB;Cat;sold;2\nC;3;;3\n",
    "Try it with: --map Species=categoryId --map 'Adoption Status=status' --ignore-fields --value 'category:Dog=<id>' --value 'category:Cat=<id>' --value 'category:*=<id>' --value 'status:avialable=<status>'",
  ],
])("the words of known and of guessed columns come at once: %j", async (content, hint) => {
  const map = content.startsWith("Tier") ? ["Art=category"] : [];
  expect(await outcomeOf(content, "a.csv", { map })).toHaveProperty(["hints", 0], hint);
});

const roundedBy = "was rounded by a spreadsheet; format the column as text, and enter it again";

it.each(["2.76098E+14", "2,76098E+14", "2E+14", "-2.7e+14"])(
  "the key %s, which lost digits, is no key of an animal",
  async (key) => {
    const details = [`2 key "${key}" ${roundedBy}`];
    for (const [content, name] of [
      [`name;category;chip\nRex;1;${key}\nMia;2;276098000000001\n`, "a.csv"],
      [`\n{"name":"Rex","categoryId":1,"chip":"${key}"}\n${rex}`, "a.ndjson"],
    ] as const)
      expect(await outcomeOf(content, name, { key: "chip" })).toMatchObject({ details });
  },
);

it("a JSON number as a key has lost no digits that it says, unless it is in short", async () => {
  const row = '{"name":"Rex","categoryId":1,"chip":';
  const json = `[${row}276098000000001},${row}2.76098E+14}]`;
  expect(await outcomeOf(json, "a.json", { key: "chip" })).toMatchObject({
    details: [`2 key "2.76098E+14" ${roundedBy}`],
  });
});

it.each(["2E-14", "E+14", "12E+14", "A2E+14", "2.76098E14"])("the key %s is one", async (key) => {
  const content = `name,category,chip\nRex,1,${key}\n`;
  expect(await outcomeOf(content, "a.csv", { key: "chip" })).toEqual(["Rex 1"]);
});
