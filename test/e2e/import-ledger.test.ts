import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { laterMachine } from "../support/command/machine.ts";
import { runInTime } from "../support/command/world.ts";
import { envFor, runPets, temporaryFolder } from "../support/program/program.ts";
import { startShop } from "../support/servers/shop.ts";

/** Starts a shop, and returns it with what runs commands in a home of its own. */
async function shopAndHome() {
  const shop = await startShop("store-1");
  const env = envFor(shop);
  const folder = temporaryFolder();
  const fileOf = (name: string, ...names: readonly string[]): string => {
    const file = path.join(folder, name);
    writeFileSync(file, `name,category\n${names.map((each) => `${each},1\n`).join("")}`);
    return file;
  };
  const run = (...argv: readonly string[]) => runInTime(argv, { env });
  const runLater = (...argv: readonly string[]) => runInTime(argv, { env, machine: laterMachine });
  const add = (file: string, ...words: readonly string[]) => run("add", "--from", file, ...words);
  /** Loses the response to the animal of this name, which may be kept. */
  const lose = (name: string, isKept: boolean): void =>
    shop.on(name, ({ body }, response) => {
      if (isKept) shop.add(body);
      response.destroy();
    });
  const heal = (): void => void (shop.intercept = () => false);
  return { shop, env, fileOf, run, runLater, add, lose, heal };
}

const names = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_none, at) => `Pet ${from + at}`);

describe("a row that --only-new leaves out", () => {
  it.each([
    ["was not added after all", false, ["not_sent", "added"], 9],
    ["was added", true, ["known", "added"], 0],
  ])("is unknown while the earlier one is, which %s", async (_what, isKept, outcomes, code) => {
    const { shop, fileOf, run, runLater, add, lose, heal } = await shopAndHome();
    lose("Rex", isKept);
    const first = fileOf("week1.csv", "Rex");
    expect(await add(first)).toMatchObject({ code: 8 });
    heal();
    const second = fileOf("week2.csv", "Rex", "Mia");
    const results = `${second}.results`;
    expect(await add(second)).toMatchObject({ code: 2 });
    for (const flags of [["--only-new", "--results", results], ["--only-new"], []]) {
      const told = await add(second, ...flags);
      expect(told).toMatchObject({ code: 8 });
      expect(told.stderr).toContain("line 2: Rex (category 1): outcome unknown");
    }
    expect(readFileSync(results, "utf8")).toContain("Rex,1,unknown,,import 1 may have added it\n");
    const early = await run("imports", "check");
    expect(early).toMatchObject({ code: isKept ? 0 : 8 });
    const checked = await runLater("add", "--from", second, "--check-unknown");
    expect(checked).toMatchObject({ code });
    const shown = JSON.parse((await run("imports", "show", "2", "--json")).stdout);
    expect(shown.map(({ outcome }: { outcome: string }) => outcome)).toEqual(outcomes);
    expect(await add(second, "--only-new")).toMatchObject({ code: 0 });
    expect(await add(first)).toMatchObject({ code: isKept ? 0 : 2 });
    expect(shop.names().toSorted()).toEqual(["Mia", "Rex"]);
  });

  it("is sent once by --retry-unknown, and when the earlier import is forgotten", async () => {
    const { shop, fileOf, run, add, lose, heal } = await shopAndHome();
    lose("Rex", false);
    expect(await add(fileOf("week1.csv", "Rex"))).toMatchObject({ code: 8 });
    heal();
    const [second, third, fourth] = ["b.csv", "c.csv", "d.csv"].map((name) =>
      fileOf(name, "Rex", name),
    );
    for (const file of [second, third, fourth] as string[])
      expect(await add(file, "--only-new")).toMatchObject({ code: 8 });
    for (const file of [second, third] as string[])
      expect(await add(file, "--only-new", "--retry-unknown")).toMatchObject({ code: 0 });
    expect(shop.names().filter((name) => name === "Rex")).toHaveLength(1);
    for (const id of ["1", "2"]) await run("imports", "forget", id, "--force");
    expect(await add(fourth as string, "--only-new")).toMatchObject({ code: 0 });
    expect(shop.names().filter((name) => name === "Rex")).toHaveLength(2);
  });
});

it("says --again of one run: what is left is compared with all that was added since", async () => {
  const { shop, fileOf, add, heal } = await shopAndHome();
  const first = fileOf("a.csv", ...names(0, 20));
  const second = fileOf("b.csv", ...names(0, 25));
  shop.intercept = (_request, response) => {
    if (shop.posts <= 7) return false;
    response.writeHead(403).end();
    return true;
  };
  expect(await add(first, "--again", "--concurrency", "1")).toMatchObject({ code: 4 });
  heal();
  expect(await add(second, "--only-new")).toMatchObject({ code: 0 });
  const dry = await add(first, "--only-new", "--dry-run");
  expect(dry.stderr).toContain("0 of 20 would be sent (dry run).");
  expect(await add(first)).toMatchObject({ code: 2 });
  expect(await add(first, "--only-new")).toMatchObject({ code: 0 });
  expect(shop.names().toSorted()).toEqual(names(0, 25).toSorted());
  expect(await add(first, "--again")).toMatchObject({ code: 0 });
  expect(shop.names()).toHaveLength(45);
});

it("takes no animal that a row without a status of another import may be", async () => {
  const { shop, fileOf, runLater, run, add, heal } = await shopAndHome();
  const sold = path.join(path.dirname(fileOf("x.csv")), "sold.csv");
  writeFileSync(sold, "name,category,status\nRex,1,sold\n");
  shop.on("Rex", ({ body }, response) => {
    if (body.includes("sold")) shop.add(body);
    response.destroy();
  });
  const plain = fileOf("plain.csv", "Rex");
  expect(await add(plain)).toMatchObject({ code: 8 });
  expect(await add(sold, "--again")).toMatchObject({ code: 8 });
  heal();
  expect(await runLater("imports", "check", "1")).toMatchObject({ code: 8 });
  expect(await runLater("imports", "check", "2")).toMatchObject({ code: 8 });
  expect(await runLater("imports", "check")).toMatchObject({ code: 0 });
  const shown = await Promise.all(["1", "2"].map((id) => run("imports", "show", id, "-o", "csv")));
  expect(shown.map(({ stdout }) => stdout.split(",")[4])).toEqual(["not_sent", "added"]);
});

it("refuses the second of two runs of one input, whose results stay as they were", async () => {
  const { shop, fileOf, add } = await shopAndHome();
  const file = fileOf("a.csv", ...names(0, 3));
  const results = `${file}.results`;
  const tried: { code: number; stderr: string }[] = [];
  shop.intercept = ({ method }) => {
    if (method === "GET" || shop.posts !== 1) return false;
    setTimeout(async () => tried.push(await add(file, "--results", results)), 0);
    return false;
  };
  expect(await add(file, "--rate", "5/s")).toMatchObject({ code: 0 });
  expect(tried).toMatchObject([{ code: 2 }]);
  expect(tried[0]?.stderr).toContain(`another process is working on the import of ${file}`);
  expect(existsSync(results)).toBe(false);
  expect(shop.names()).toEqual(names(0, 3));
});

it("goes on when the mode of its input changes, and stops when the input does", async () => {
  const { shop, fileOf, add } = await shopAndHome();
  const file = fileOf("a.csv", ...names(0, 300));
  shop.on("Pet 3", ({ body }, response) => {
    chmodSync(file, 0o600);
    response.writeHead(201).end(JSON.stringify(shop.add(body)));
  });
  expect(await add(file)).toMatchObject({ code: 0 });
  const other = fileOf("b.csv", ...names(300, 1200));
  shop.on("Pet 303", ({ body }, response) => {
    writeFileSync(other, `${readFileSync(other, "utf8")}Late,1\n`);
    response.writeHead(201).end(JSON.stringify(shop.add(body)));
  });
  const stopped = await add(other);
  expect(stopped).toMatchObject({ code: 1 });
  expect(stopped.stderr).toContain("b.csv changed during the run");
});

it("loses no record of files that start side by side", async () => {
  const { shop, env, fileOf, run, add } = await shopAndHome();
  const files = Array.from({ length: 6 }, (_none, at) => fileOf(`${at}.csv`, `Pet ${at}`));
  const runs = await Promise.all(files.map((file) => runPets(["add", "--from", file], { env })));
  expect(runs.map(({ code }) => code)).toEqual(files.map(() => 0));
  for (const file of files) expect(await add(file)).toMatchObject({ code: 0 });
  expect(shop.names().toSorted()).toEqual(names(0, 6).toSorted());
  const imports = JSON.parse((await run("imports", "--json")).stdout);
  expect(imports.map(({ added }: { added: number }) => added)).toEqual(files.map(() => 1));
});
