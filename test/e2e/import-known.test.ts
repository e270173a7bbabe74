import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { laterMachine } from "../support/command/machine.ts";
import { runInTime } from "../support/command/world.ts";
import { envFor, runPets, temporaryFolder } from "../support/program/program.ts";
import { readRecord } from "../support/servers/record.ts";
import { startShop } from "../support/servers/shop.ts";

type Env = Record<string, string>;

/** Writes a file of NDJSON, or of the format of its extension. */
function fileOf(name: string, rows: readonly string[]): string {
  const file = path.join(temporaryFolder(), name);
  writeFileSync(file, name.endsWith("csv") ? csv(rows) : ndjson(rows));
  return file;
}

const ndjson = (rows: readonly string[]): string =>
  rows.map((name) => `${JSON.stringify({ name, categoryId: 1, status: "sold" })}\n`).join("");
const csv = (rows: readonly string[]): string =>
  `STATUS;name;category\r\n${rows.map((name) => `sold;${name};1\r\n`).join("")}`;

const add = (file: string, env: Env, ...words: string[]) =>
  runInTime(["add", "--from", file, ...words, "-o", "json"], { env });

const errorIn = (stderr: string) => JSON.parse(stderr.trim().split("\n").at(-1) ?? "").error;

/** Writes a file with a key in each row. */
function keyedFile(...rows: string[]): string {
  const file = path.join(temporaryFolder(), "week.csv");
  writeFileSync(file, ["chip,name,category", ...rows, ""].join("\n"));
  return file;
}

it("sends nothing of a file of which some rows were added, in any format and order; --only-new sends the others", async () => {
  const shop = await startShop("store-1");
  const env = envFor(shop);
  const first = fileOf("shelter.ndjson", ["Rex", "Mia", "Leo"]);
  expect(await add(first, env)).toMatchObject({ code: 0 });
  const file = fileOf("edited.csv", ["Leo", "Tom", "Rex", "Ada", "Rex"]);
  const refused = await add(file, env);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(errorIn(refused.stderr)).toMatchObject({
    code: "already_added",
    retryable: false,
    details: { known: 2, rows: 5, file: first, at: expect.stringMatching(/^\d{4}-.*Z$/) },
  });
  expect(shop.names()).toEqual(["Rex", "Mia", "Leo"]);
  expect(shop.gets).toEqual(["/v1/pets?limit=1"]);
  for (const words of [["--only-new"], ["--only-new"], []])
    expect(await add(file, env, ...words)).toMatchObject({ code: 0 });
  expect(shop.names().toSorted()).toEqual(["Ada", "Leo", "Mia", "Rex", "Rex", "Tom"]);
});

it("says how many more rows there are than the twenty that it names", async () => {
  const env = envFor(await startShop("store-1"));
  const names = Array.from({ length: 23 }, (_none, n) => `Pet ${n}`);
  expect(await add(fileOf("first.ndjson", names), env)).toMatchObject({ code: 0 });
  const { stderr } = await add(fileOf("again.csv", [...names, "Rex"]), env);
  const lines = stderr.split("\n");
  expect(lines.slice(19, 21)).toEqual(["line 21: Pet 19 was added earlier", "… and 3 more"]);
});

it("knows animals by --key, and refuses a file in which one comes twice", async () => {
  const shop = await startShop("store-1");
  const env = envFor(shop);
  expect(await add(keyedFile("1,Mia,1", "2,Mia,1"), env, "--key", "chip")).toMatchObject({
    code: 0,
  });
  const next = keyedFile("2,Mia,1", "3,Mia,1", "1,Max,1", " 3 ,Bo,1");
  const refused = await add(next, env, "--key", "Chip");
  expect(refused).toMatchObject({ code: 2 });
  const repeated = {
    line: 5,
    field: "key",
    message: expect.stringMatching(/^".+" repeats that of line 3$/),
  };
  expect(errorIn(refused.stderr).details).toEqual([repeated]);
  const results = path.join(path.dirname(next), "r.csv");
  const words = ["--key", "Chip", "--skip-invalid", "--only-new", "--results", results];
  expect(await add(next, env, ...words)).toMatchObject({ code: 9 });
  expect(shop.names()).toEqual(["Mia", "Mia", "Mia"]);
  const outcomes = readFileSync(results, "utf8").split("\n").slice(1, -1);
  expect(outcomes.map((line) => line.split(",")[3])).toEqual([
    "known",
    "added",
    "changed",
    "invalid",
  ]);
});

it("continues a first version with --only-new after a later one sent the rest", async () => {
  const shop = await startShop("store-1");
  const env = envFor(shop);
  const first = fileOf("first.ndjson", ["Rex", "Mia", "Leo", "Tom"]);
  shop.intercept = (_request, response) => {
    if (shop.posts < 3) return false;
    response.writeHead(403).end();
    return true;
  };
  expect(await add(first, env, "--concurrency", "1")).toMatchObject({ code: 4 });
  shop.intercept = () => false;
  const second = fileOf("second.csv", ["Rex", "Mia", "Leo", "Tim"]);
  expect(await add(second, env, "--only-new")).toMatchObject({ code: 0 });
  expect(await add(first, env, "--only-new")).toMatchObject({ code: 0 });
  expect(shop.names().toSorted()).toEqual(["Leo", "Mia", "Rex", "Tim", "Tom"]);
});

it.each([[[] as string[]], [["--only-new"]]])(
  "two files with the same animals at once add each animal once, with %j",
  async (flags) => {
    const names = Array.from({ length: 60 }, (_none, i) => `Pet ${i}`);
    const shop = await startShop("store-1");
    const env = envFor(shop);
    const files = [fileOf("a.csv", names), fileOf("b.ndjson", names.toReversed())];
    const words = ["--rate", "100/s", "-o", "json", ...flags];
    const runs = await Promise.all(
      files.map((file) => runPets(["add", "--from", file, ...words], { env })),
    );
    // A row that the other run still had to send, or whose response it still waited for, was left to it.
    const codes = new Set(runs.map(({ code }) => code));
    expect(flags.length > 0 ? [0, 8, 9] : [0, 2]).toEqual(expect.arrayContaining([...codes]));
    expect(codes).toContain(0);
    expect(shop.names().toSorted()).toEqual(names.toSorted());
    const again = await Promise.all(files.map((file) => add(file, env, "--only-new")));
    expect(again).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(shop.names()).toHaveLength(names.length);
  },
);

describe("the store of an import", () => {
  it("stops the run with 7 if its id changes, and each store gets every animal once", async () => {
    const shop = await startShop("store-1");
    const env = envFor(shop);
    const rows = Array.from({ length: 40 }, (_none, i) => `Pet ${i}`);
    const file = fileOf("shelter.ndjson", rows);
    let old = shop.pets;
    shop.intercept = () => {
      if (shop.posts === 21 && shop.storeId === "store-1") {
        old = shop.pets;
        Object.assign(shop, { storeId: "store-2", pets: [] });
      }
      return false;
    };
    expect(await add(file, env)).toMatchObject({ code: 7 });
    expect(shop.pets.length).toBeGreaterThan(0);
    expect(await add(file, env)).toMatchObject({ code: 0 });
    expect(shop.names().toSorted()).toEqual(rows.toSorted());
    Object.assign(shop, { storeId: "store-1", pets: old });
    expect(await add(file, env)).toMatchObject({ code: 0 });
    expect(shop.names().toSorted()).toEqual(rows.toSorted());
  });
});

/** Runs an import in which some replies are lost, after the row was added (`true`) or before. */
async function runWithLosses(losses: Record<string, boolean>) {
  const shop = await startShop("store-1");
  const env = envFor(shop);
  const words = ["add", "--from", fileOf("pets.ndjson", ["Rex", "Mia", "Leo", "Tom"])];
  shop.intercept = ({ method, body }, response) => {
    const name = method === "POST" ? JSON.parse(body).name : "";
    if (!(name in losses)) return false;
    if (losses[name]) shop.add(body);
    response.destroy();
    return true;
  };
  const run = (flags: string[], machine?: typeof laterMachine) =>
    runInTime([...words, "--concurrency", "1", ...flags, "-o", "json"], {
      env,
      ...(machine && { machine }),
    });
  expect(await run([])).toMatchObject({ code: 8 });
  shop.intercept = () => false;
  return { shop, env, run };
}

describe("--check-unknown", () => {
  it("settles rows by the lists, and the plain command sends what was not added", async () => {
    const { shop, run } = await runWithLosses({ Rex: false, Mia: true });
    const { posts } = shop;
    const early = await run(["--check-unknown"]);
    expect(early.code).toBe(8);
    expect(early.stdout).toMatch(/^\{"line":1,"outcome":"unknown".*\n\{"line":2,"outcome":"added"/);
    expect(early.stderr).toMatch(
      /^The service may still add 1 animal sent less than a minute ago: check again at [\d:]+\.$/m,
    );
    const check = await run(["--check-unknown"], laterMachine);
    expect(check).toMatchObject({ code: 9, stdout: "" });
    expect(check.stderr).toContain("1 not added");
    expect(check.stderr).toMatch(/To send the rest: pets add --from \S+ --concurrency 1 -o json\n/);
    expect(shop.posts).toBe(posts);
    expect(await run([])).toMatchObject({ code: 0 });
    expect(shop.names().toSorted()).toEqual(["Leo", "Mia", "Rex", "Tom"]);
    expect(await run(["--check-unknown"])).toMatchObject({ code: 0 });
  });

  it("does not take a row for an animal that another file added", async () => {
    const { shop, env, run } = await runWithLosses({ Rex: false });
    expect(await add(fileOf("a.csv", ["Rex"]), env, "--again")).toMatchObject({ code: 0 });
    expect((await run(["--check-unknown"], laterMachine)).stderr).toContain("1 not added");
    expect(shop.names()).toHaveLength(4);
  });

  it("says that a file was never imported, and records nothing", async () => {
    const shop = await startShop("store-1");
    const env = envFor(shop);
    await add(fileOf("shelter.ndjson", ["Rex", "Mia"]), env);
    const file = fileOf("other.csv", ["Rex", "Ada"]);
    const run = await add(file, env, "--check-unknown");
    expect(run).toMatchObject({ code: 9, stdout: "" });
    const { host } = new URL(shop.baseUrl);
    expect(errorIn(run.stderr).message).toBe(`${file} was never imported to ${host}`);
    expect(readRecord(env.HOME, "SELECT id FROM imports")).toHaveLength(1);
  });
});
