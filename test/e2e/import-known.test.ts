import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
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

async function shopWith(...rows: string[]) {
  const shop = await startShop("store-1");
  const env = envFor(shop);
  const first = fileOf("shelter.ndjson", rows);
  expect(await add(first, env)).toMatchObject({ code: 0 });
  return { shop, env, first };
}

describe("a file half of which was added before", () => {
  it("is not sent, whatever its format and order, with an explanation", async () => {
    const { shop, env, first } = await shopWith("Rex", "Mia", "Leo");
    const before = Date.now();
    const run = await add(fileOf("edited.csv", ["Leo", "Tom", "Rex", "Ada"]), env);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    const { at, ...details } = errorIn(run.stderr).details;
    expect(errorIn(run.stderr)).toMatchObject({ code: "already_added", retryable: false });
    expect(details).toEqual({ known: 2, rows: 4, file: first });
    expect(Math.abs(Date.parse(at) - before)).toBeLessThan(60_000);
    expect(shop.names()).toEqual(["Rex", "Mia", "Leo"]);
    expect(shop.gets).toEqual(["/v1/pets?limit=1"]);
  });

  it("sends the others with --only-new, and then nothing", async () => {
    const { shop, env } = await shopWith("Rex", "Mia", "Leo");
    const file = fileOf("edited.csv", ["Leo", "Tom", "Rex", "Ada", "Rex"]);
    expect(await add(file, env, "--only-new")).toMatchObject({ code: 0 });
    const all = ["Ada", "Leo", "Mia", "Rex", "Rex", "Tom"];
    expect(shop.names().toSorted()).toEqual(all);
    expect(await add(file, env, "--only-new")).toMatchObject({ code: 0, stdout: "" });
    expect(await add(file, env)).toMatchObject({ code: 0, stdout: "" });
    const copy = fileOf("copy.ndjson", ["Ada", "Leo", "Rex", "Rex", "Tom"]);
    expect(await add(copy, env, "--only-new")).toMatchObject({ code: 0, stdout: "" });
    expect(shop.names().toSorted()).toEqual(all);
  });
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

describe("a file that is read otherwise", () => {
  it("is another import, of which the rows that were added are known", async () => {
    const shop = await startShop("store-1");
    const env = envFor(shop);
    const file = path.join(temporaryFolder(), "pets.ndjson");
    const lines = ["Rex", "Mia", "Leo"].map((name) => `{"name":"${name}","categoryId":1}\n`);
    writeFileSync(file, lines.join("").replace('"Mia"', '"Mia","age":7'));
    expect(await add(file, env, "--skip-invalid")).toMatchObject({ code: 9 });
    const refused = await add(file, env, "--ignore-fields");
    expect(errorIn(refused.stderr).details).toMatchObject({ known: 2, rows: 3 });
    expect(await add(file, env, "--ignore-fields", "--only-new")).toMatchObject({ code: 0 });
    expect(shop.names()).toEqual(["Rex", "Leo", "Mia"]);
  });
});

describe("two files with the same animals at once", () => {
  const names = Array.from({ length: 60 }, (_none, i) => `Pet ${i}`);

  it.each([[[] as string[]], [["--only-new"]]])(
    "add each animal once, with %j",
    { timeout: 60_000 },
    async (flags) => {
      const shop = await startShop("store-1");
      const env = envFor(shop);
      const files = [fileOf("a.csv", names), fileOf("b.ndjson", names.toReversed())];
      const words = ["--rate", "100/s", "-o", "json", ...flags];
      const runs = await Promise.all(
        files.map((file) => runPets(["add", "--from", file, ...words], { env })),
      );
      const refused = runs.filter(({ code }) => code === 2);
      expect(refused).toHaveLength(flags.length > 0 ? 0 : 1);
      expect(runs.filter(({ code }) => code === 0)).toHaveLength(2 - refused.length);
      expect(shop.names().toSorted()).toEqual(names.toSorted());
    },
  );
});

it("says that a file was never imported with --check-unknown, and records nothing", async () => {
  const { shop, env } = await shopWith("Rex", "Mia");
  const file = fileOf("other.csv", ["Rex", "Ada"]);
  const run = await add(file, env, "--check-unknown");
  expect(run).toMatchObject({ code: 9, stdout: "" });
  const { host } = new URL(shop.baseUrl);
  expect(errorIn(run.stderr).message).toBe(`${file} was never imported to ${host}`);
  expect(readRecord(env.HOME, "SELECT id FROM imports")).toHaveLength(1);
});

describe("the store of an import", () => {
  it("does not count what another store received, which is kept for it", async () => {
    const { shop, env, first } = await shopWith("Rex", "Mia");
    const { pets } = shop;
    Object.assign(shop, { storeId: "store-2", pets: [] });
    const note = "An earlier run sent this input to another store. Starting again.\n";
    const anew = await add(first, env);
    expect(anew.code).toBe(0);
    expect(anew.stderr).toContain(note);
    expect(shop.names()).toEqual(["Rex", "Mia"]);
    expect((await add(first, env)).stderr).not.toContain(note);
    expect(await add(fileOf("edited.csv", ["Mia", "Rex"]), env)).toMatchObject({ code: 2 });
    Object.assign(shop, { storeId: "store-1", pets });
    const posts = shop.posts;
    expect(await add(first, env)).toMatchObject({ code: 0, stdout: "" });
    expect(await add(fileOf("edited.csv", ["Mia", "Rex"]), env)).toMatchObject({ code: 2 });
    expect(shop.posts).toBe(posts);
  });

  it("identifies a service without an id by its address, whatever the key", async () => {
    const shop = await startShop();
    const env = envFor(shop);
    const other = { ...env, PETS_API_KEY: "another-key-entirely" };
    const file = fileOf("shelter.ndjson", ["Rex", "Mia"]);
    expect(await add(file, env)).toMatchObject({ code: 0 });
    expect(await add(file, other)).toMatchObject({ code: 0, stdout: "" });
    const copy = fileOf("copy.csv", ["Mia", "Rex"]);
    expect(errorIn((await add(copy, other)).stderr).code).toBe("already_added");
    expect(shop.names()).toHaveLength(2);
    expect(await add(file, other, "--again")).toMatchObject({ code: 0 });
    expect(shop.names()).toHaveLength(4);
  });

  it("stops the run with 7 if the id changes, and each store gets every animal once", async () => {
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
    const stopped = await add(file, env);
    expect(stopped.code).toBe(7);
    expect(errorIn(stopped.stderr).message).toMatch(/store at .* another/);
    expect(shop.pets.length).toBeGreaterThan(0);
    expect(await add(file, env)).toMatchObject({ code: 0 });
    expect(shop.names().toSorted()).toEqual(rows.toSorted());
    Object.assign(shop, { storeId: "store-1", pets: old });
    expect(await add(file, env)).toMatchObject({ code: 0 });
    expect(shop.names().toSorted()).toEqual(rows.toSorted());
  });
});
