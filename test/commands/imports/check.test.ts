import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { tryInput } from "../../../src/imports/run/locks.ts";
import { fileOf } from "../../imports/support/input.ts";
import { laterMachine } from "../../support/command/machine.ts";
import { runInTime } from "../../support/command/world.ts";
import { envFor } from "../../support/program/program.ts";
import { readRecord, recordIn } from "../../support/servers/record.ts";
import { failing, startShop } from "../../support/servers/shop.ts";

/** A shop that loses its responses for Rex, which it adds, and for Mia, which it does not; and a home that sent them. */
async function shopWithLosses() {
  const shop = await startShop("store-1");
  shop.intercept = ({ method, body }, response) => {
    const { name } = method === "POST" ? JSON.parse(body) : {};
    if (name !== "Rex" && name !== "Mia") return false;
    if (name === "Rex") shop.add(body);
    response.destroy();
    return true;
  };
  const env = envFor(shop);
  const run = (...words: readonly string[]) => runInTime(words, { env });
  const later = (...words: readonly string[]) => runInTime(words, { env, machine: laterMachine });
  const file = fileOf("name,category\nRex,1\nMia,2\nLeo,3\n", "pets.csv");
  const add = ["add", "--from", file, "--concurrency", "1"] as const;
  expect(await run(...add)).toMatchObject({ code: 8 });
  shop.intercept = () => false;
  return { shop, env, run, later, add, file };
}

describe.concurrent("pets imports check", () => {
  it("settles unknown rows by the lists, without the file, once they are a minute old", async () => {
    const { shop, run, later, add, file } = await shopWithLosses();
    rmSync(file);
    const { posts } = shop;
    const early = await run("imports", "check", "--json");
    expect(early.code).toBe(8);
    expect(early.stderr).toMatch(
      /^The service may still add 1 animal sent less than a minute ago/m,
    );
    const rex = { import: 1, line: 2, outcome: "added", id: 1 };
    const [mia, isAdded] = [{ import: 1, line: 3 }, { outcome: "unknown" }];
    expect(JSON.parse(early.stdout)).toEqual([rex, { ...mia, ...isAdded }]);
    const done = await later("imports", "check", "1", "-o", "csv");
    expect(done).toMatchObject({ code: 0, stdout: "import,line,outcome,id\r\n1,3,not_sent,\r\n" });
    expect(await run("imports", "check")).toEqual({
      code: 0,
      stdout: "",
      stderr: "No row is unknown.\n",
    });
    writeFileSync(file, "name,category\nRex,1\nMia,2\nLeo,3\n");
    expect([shop.posts, (await run(...add)).code]).toEqual([posts, 0]);
    expect(shop.names()).toEqual(["Rex", "Leo", "Mia"]);
  });

  it("settles a row that a later file left out for an unknown one", async () => {
    const { shop, run, later } = await shopWithLosses();
    const next = fileOf("name,category\nMia,2\nTom,4\nRex,1\n", "next.csv");
    const addNext = (...flags: readonly string[]) => run("add", "--from", next, ...flags);
    const left = await addNext("--only-new");
    expect([left.code, left.stdout]).toEqual([8, expect.stringContaining("Tom")]);
    expect(left.stderr.match(/^line [24].*unknown/gm)).toHaveLength(2);
    const shown = () => run("imports", "show", "2", "-o", "csv", "--fields", "line,outcome,id");
    expect((await shown()).stdout).toBe(
      "line,outcome,id\r\n2,unknown,\r\n3,added,3\r\n4,unknown,\r\n",
    );
    expect((await later("imports", "check", "2")).code).toBe(0);
    expect((await shown()).stdout).toBe(
      "line,outcome,id\r\n2,not_sent,\r\n3,added,3\r\n4,known,1\r\n",
    );
    expect((await addNext()).code).toBe(0);
    expect(shop.names()).toEqual(["Rex", "Leo", "Tom", "Mia"]);
  });

  it("leaves what another process works on, and what was sent to another store", async () => {
    const { shop, env, later } = await shopWithLosses();
    const [{ input = "" } = {}] = readRecord(env.HOME, "SELECT input FROM imports");
    const lock = tryInput(path.dirname(recordIn(env.HOME)), String(input));
    const running = await later("imports", "check");
    expect([running.code, running.stderr]).toEqual([8, expect.stringContaining("is running")]);
    lock?.[Symbol.dispose]();
    shop.storeId = "store-2";
    const one = await later("imports", "check", "1");
    expect(one).toMatchObject({ code: 2, stdout: "" });
    expect(one.stderr).toContain("import 1 was sent to another store, at 127.0.0.1");
    const all = await later("imports", "check");
    expect(all.stderr).toContain("import 1 was sent to another store");
    expect(all.code).toBe(8);
    shop.storeId = "store-1";
    expect((await later("imports", "check")).code).toBe(0);
  });

  it("needs a store that answers, and changes nothing without", async () => {
    const { shop, run } = await shopWithLosses();
    shop.intercept = (...exchange) => {
      failing(403)(...exchange);
      return true;
    };
    expect(await run("imports", "check")).toMatchObject({ code: 4, stdout: "" });
    expect(JSON.parse((await run("imports", "--json")).stdout)).toMatchObject([{ unknown: 2 }]);
  });
});
