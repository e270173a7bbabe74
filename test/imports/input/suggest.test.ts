import { expect, it } from "vitest";
import { outcomeOf } from "../support/input.ts";

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
