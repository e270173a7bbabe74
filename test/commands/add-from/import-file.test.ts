import { expect, it } from "vitest";
import { fileOf } from "../../imports/support/input.ts";
import { runInTime } from "../../support/command/world.ts";
import { envFor } from "../../support/program/program.ts";
import { failing, startShop } from "../../support/servers/shop.ts";

/** A shop, and a function that adds a file of animals to it in this process, with one home for all runs. */
async function shopFor(...names: readonly string[]) {
  const shop = await startShop("store-1");
  const lines = names.map((name) => `${JSON.stringify({ name, categoryId: 1 })}\n`);
  const file = fileOf(lines.join(""), "pets.ndjson");
  const env = envFor(shop);
  const add = (...flags: readonly string[]) =>
    runInTime(["add", "--from", file, "--concurrency", "1", ...flags], { env });
  return { shop, file, add };
}

it("sends nothing in a dry run, then all, and nothing a second time, unless it is to add all again", async () => {
  const { shop, add } = await shopFor("Rex", "Mia");
  for (const flags of [["--dry-run"], ["--dry-run", "--only-new"]]) {
    const note = "All rows are valid; 2 would be sent (dry run).";
    expect(await add(...flags)).toMatchObject({ code: 0, stderr: expect.stringContaining(note) });
  }
  expect([shop.posts, shop.gets]).toEqual([0, []]);
  const first = await add();
  expect([first.code, shop.names()]).toEqual([0, ["Rex", "Mia"]]);
  expect(first.stderr).toMatch(/^Added 2 of 2 animals in /m);
  const second = await add();
  expect([second.code, second.stdout, shop.posts]).toEqual([0, "", 2]);
  expect(second.stderr).not.toContain("Added");
  expect(shop.gets).toEqual(["/v1/pets?limit=1"]);
  await add("--again");
  expect(shop.names()).toEqual(["Rex", "Mia", "Rex", "Mia"]);
});

it.each<[string, number, number, string?]>([
  ["a refused key", 403, 4],
  ["a path that is not there", 404, 7],
  ["an endpoint that is gone", 410, 7],
  ["a proxy's 404", 404, 7, "<h1>Deploying</h1>"],
  ["a proxy's 400", 400, 7, "<h1>Bad Request</h1>"],
  ["a proxy's 431", 431, 7, ""],
  ["a redirect", 308, 7, ""],
])("stops at %s, and continues there with the same command", async (_what, status, exit, text) => {
  const { shop, file, add } = await shopFor("Rex", "Mia", "Leo");
  shop.on("Mia", failing(status, text, { "content-type": "text/plain" }));
  const { code, stderr } = await add();
  expect([code, shop.names()]).toEqual([exit, ["Rex"]]);
  expect(stderr).toContain("import stopped with 2 animals not sent: ");
  expect(stderr).toContain(`To send the rest: pets add --from ${file} --concurrency 1\n`);
  shop.intercept = () => false;
  expect((await add()).code).toBe(0);
  expect(shop.names()).toEqual(["Rex", "Mia", "Leo"]);
});

it("goes on with an unfinished import also with --again", async () => {
  const { shop, add } = await shopFor("Rex", "Mia", "Leo");
  shop.on("Mia", failing(403));
  expect((await add()).code).toBe(4);
  shop.on("Leo", failing(403));
  expect((await add("--again")).stderr).toMatch(/^Resuming: 1 of 3 animals done earlier\.\n/);
  shop.intercept = () => false;
  expect((await add()).code).toBe(0);
  expect(shop.names()).toEqual(["Rex", "Mia", "Leo"]);
});
