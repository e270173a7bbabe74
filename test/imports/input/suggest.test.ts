import { expect, it } from "vitest";
import { outcomeOf, rex } from "../support/input.ts";

const next = (flag: string) => `pets add --from a.csv ${flag}`;

const totals = '{"categoryId":1}\n{"name":"Rex","categoryId":1}\n';

it.each([
  ['{"name":"Rex","categoryId":1,"age":7}', ["Try it with: --ignore-fields"]],
  ['{"name":"Rex"}', ["Try it with: --category '<id>'"]],
  [`{"name":"Rex","categoryId":"${"x".repeat(41)}"}`, ["Try it with: --value 'category:*=<id>'"]],
  [`{"${"x".repeat(300)}":[{}]}`, ["Try it with: --format json"]],
  // The totals of a last row are no animal; what two rows lack is.
  [`${totals}{"name":"Sum"}`, ["Try it with: --name '<name>'"]],
  [`${totals}{"name":"Ida"}\n{"name":"Sum"}`, ["Try it with: --name '<name>' --category '<id>'"]],
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

it.each([
  ["Tier,Art\nRex,1\n", ["Try it with: --map '<column>=name' --map '<column>=categoryId'"]],
  ["name,Art,x\nRex,1,2\n", ["Try it with: --map '<column>=categoryId' --ignore-fields"]],
  ["name,status\nRex,sold\n", ["Try it with: --category '<id>'"]],
])("the header of %j comes with the hints %j", async (content, hints) => {
  expect(await outcomeOf(content, "a.csv")).toMatchObject({ hints });
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
