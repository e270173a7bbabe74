import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import type { Machine } from "../../../src/platform/io.ts";
import { fileOf } from "../../imports/support/input.ts";
import { laterMachine, thisMachine } from "../../support/command/machine.ts";
import { type CliRun, runInTime } from "../../support/command/world.ts";
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

/** Two files of animals, of which the second is sent with `--only-new`. */
async function twoFiles(first: readonly string[], second: readonly string[]) {
  const { shop, file } = await shopFor(...first);
  const rows = second.map((name) => `{"name":"${name}","categoryId":1}\n`);
  const next = fileOf(rows.join(""), "next.ndjson");
  const env = envFor(shop);
  const addAt = (machine: Machine, from: string, ...flags: readonly string[]) =>
    runInTime(["add", "--from", from, "--concurrency", "1", ...flags], { env, machine });
  const run = (from: string, ...flags: readonly string[]) => addAt(thisMachine, from, ...flags);
  return { shop, file, next, run, later: addAt.bind(undefined, laterMachine) };
}

it("settles in a later file what an earlier one left unknown", async () => {
  const { shop, file, next, run, later } = await twoFiles(["Rex", "Mia"], ["Mia", "Rex", "Tom"]);
  shop.intercept = ({ method, body }, response) => {
    if (method === "GET") return false;
    if (body.includes("Rex")) shop.add(body);
    response.destroy();
    return true;
  };
  expect((await run(file)).code).toBe(8);
  shop.intercept = () => false;
  rmSync(file);
  const refused = await run(next);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("2 of 3 animals are in earlier files: 2 maybe added");
  const left = await run(next, "--only-new");
  expect(left.code).toBe(8);
  expect(left.stderr).toMatch(/^line 1: Mia .*unknown \(an earlier file may have added it\)$/m);
  expect(left.stderr).toMatch(/^line 2: Rex .*unknown/m);
  expect((await run(next, "--only-new")).code).toBe(8);
  const checked = await later(next, "--check-unknown");
  expect([checked.code, shop.names()]).toEqual([9, ["Rex", "Tom"]]);
  expect(await run(next)).toMatchObject({ code: 0 });
  expect(shop.names()).toEqual(["Rex", "Tom", "Mia"]);
});

it("leaves to a running import what that is sending, and is still to send", async () => {
  const { shop, file, next, run } = await twoFiles(["Rex", "Mia", "Leo"], ["Mia", "Leo", "Tom"]);
  const runs: CliRun[] = [];
  shop.on("Mia", async ({ body }, response) => {
    runs.push(await run(next, "--only-new"));
    const head = { "content-type": "application/json", "X-Pets-Store": "store-1" };
    response.writeHead(201, head).end(JSON.stringify(shop.add(body)));
  });
  expect((await run(file)).code).toBe(0);
  expect(runs).toMatchObject([{ code: 9 }]);
  expect(runs[0]?.stderr).toContain("2 left to another import.");
  expect(shop.names()).toEqual(["Rex", "Tom", "Mia", "Leo"]);
  expect(await run(next)).toMatchObject({ code: 0, stdout: "" });
  expect(shop.names()).toHaveLength(4);
});

it("says --again of one run only: what that left is compared again", async () => {
  const { shop, file, run } = await twoFiles(["Rex", "Mia"], []);
  expect((await run(file)).code).toBe(0);
  shop.on("Mia", failing(403));
  expect((await run(file, "--again")).code).toBe(4);
  shop.intercept = () => false;
  const refused = await run(file);
  expect([refused.code, shop.names()]).toEqual([2, ["Rex", "Mia", "Rex"]]);
  expect(refused.stderr).toContain("1 of 1 animal is in earlier files: 1 added");
  expect((await run(file, "--only-new")).code).toBe(0);
  expect(shop.names()).toHaveLength(3);
});

it("forecasts in a dry run what the same command sends, also of rows that were left out", async () => {
  const { shop, file, next, run, later } = await twoFiles(["Rex", "Mia"], ["Mia", "Rex", "Tom"]);
  shop.on("Mia", (_request, response) => void response.destroy());
  expect((await run(file)).code).toBe(8);
  shop.on("Tom", failing(403));
  expect((await run(next, "--only-new")).code).toBe(4);
  shop.intercept = () => false;
  expect(await later(file, "--check-unknown")).toMatchObject({ code: 9 });
  const names = async (...flags: readonly string[]) => {
    const { stdout } = await run(next, "--dry-run", "-o", "ndjson", ...flags);
    return [...stdout.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name);
  };
  expect(await names()).toEqual(["Mia", "Tom"]);
  expect(await names("--again")).toEqual(["Mia", "Rex", "Tom"]);
  expect((await run(next, "--again")).code).toBe(0);
  expect(shop.names()).toEqual(["Rex", "Mia", "Rex", "Tom"]);
});

it("sends nothing of UTF-8 in another encoding, though its first letters come after a megabyte", async () => {
  const shop = await startShop("store-1");
  const text = `name,category\n${`Rex${" ".repeat(40)},1\n`.repeat(30_000)}Zo\u00eb,1\n`;
  const words = ["add", "--from", fileOf(text, "pets.csv"), "--encoding", "latin1"];
  const run = await runInTime(words, { env: envFor(shop) });
  expect([run.code, run.stdout, shop.posts, shop.gets]).toEqual([2, "", 0, []]);
  expect(run.stderr).toContain(
    "pets.csv is UTF-8, not windows-1252\nTry it with: --encoding utf-8",
  );
});
