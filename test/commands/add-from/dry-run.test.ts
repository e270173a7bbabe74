import { expect, it } from "vitest";
import { fileOf } from "../../imports/support/input.ts";
import { runHere } from "../../support/command/world.ts";
import { envFor } from "../../support/program/program.ts";
import { startShop } from "../../support/servers/shop.ts";

/** Checks a CSV file with these rows. */
const check = (rows: string, ...flags: readonly string[]) =>
  runHere(["add", "--from", fileOf(`name,category\n${rows}`), "--dry-run", ...flags], {});

it.each<[string, string[], string]>([
  ["", [], "All rows are valid; 0 would be sent (dry run)."],
  ["Rex,1\nMia,2\n", [], "All rows are valid; 2 would be sent (dry run)."],
  ["Rex,1\nx\ny\nz\n", ["--skip-invalid"], "1 row is valid; 1 of 4 would be sent (dry run)."],
  ["Rex,1\nMia,2\nz", ["--skip-invalid"], "2 rows are valid; 2 of 3 would be sent (dry run)."],
  ["Rex,1\nRex,1\n", [], "1 row equals an earlier row of this input; sending all of them."],
  ["Rex,1\nRex,1\n", ["--only-new"], "1 row equals an earlier row of this input."],
])("a dry run of %j with %j says: %s", async (rows, flags, note) => {
  const { stderr } = await check(rows, ...flags);
  expect(stderr.split("\n")).toContain(note);
});

it("says how many rows an earlier run of the same input sent", async () => {
  const env = envFor(await startShop("store-1"));
  const words = ["add", "--from", fileOf("name,category\nRex,1\nMia,2\n")];
  expect((await runHere(words, { env })).code).toBe(0);
  expect((await runHere([...words, "--dry-run"], { env })).stderr).toContain(
    "2 rows were sent by an earlier run.\nAll rows are valid; 0 of 2 would be sent",
  );
});

it("begins no line with a name, which a log may read as a command", async () => {
  const name = "::error title=x::y";
  const { stdout, stderr } = await check(`${name},1\n${name},1\n${name},x\n`, "--skip-invalid");
  expect(stdout).toContain(name);
  expect(stderr).toContain(name);
  expect(stdout + stderr).not.toMatch(/^\s*::/m);
});

it("names the place of an invalid row in a JSON array", async () => {
  const file = fileOf('[{"name":"Rex","categoryId":1},{"name":"Mia"}]', "a.json");
  const { code, stderr } = await runHere(["add", "--from", file, "--dry-run"], {});
  expect(code).toBe(2);
  expect(stderr).toMatch(/^item 2 \(Mia\): categoryId is missing$/m);
});
