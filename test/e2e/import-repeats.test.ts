import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { envFor, finished, startPets, temporaryFolder } from "../support/program/program.ts";
import { startFaultyStore } from "../support/servers/faulty-store.ts";
import { namesIn } from "../support/servers/imports.ts";
import { failing, startShop } from "../support/servers/shop.ts";

const rows = ["1,Rex,1", "2,Mia,1", "1,Max,1", "2,Tom,1", "3,Leo,1"];

/** Writes a table of rows with a key, and returns how to add it with results, and the outcomes that these have. */
function week(env: Record<string, string>, lines: readonly string[] = rows) {
  const folder = temporaryFolder();
  const file = path.join(folder, "week.csv");
  const results = path.join(folder, "results.csv");
  writeFileSync(file, ["chip,name,category", ...lines, ""].join("\n"));
  const words = ["add", "--from", file, "--key", "chip", "--results", results, "-o", "ndjson"];
  const outcomes = (): string => {
    const [, ...written] = readFileSync(results, "utf8").trim().split("\n");
    return written.map((line) => line.split(",")[3]).join(" ");
  };
  const add = async (...flags: string[]) => {
    const run = await runInTime([...words, ...flags], { env });
    return { ...run, outcomes: outcomes(), sent: run.stdout.split("\n").length - 1 };
  };
  return { folder, file, results, words, add };
}

it.each([
  ["first", ["Rex", "Mia", "Leo"], "added added repeated repeated added", [4, 2, 5, 3]],
  ["last", ["Max", "Tom", "Leo"], "repeated repeated added added added", [2, 4, 3, 5]],
] as const)("--repeats %s sends one row of each key", async (repeats, names, outcomes, lines) => {
  const store = await startFaultyStore();
  const env = envFor(store);
  const { add } = week(env);
  const [line, kept, other, otherKept] = lines;
  const [first, second] = rows.filter((row) => !names.some((name) => row.includes(name)));
  const notes = [
    `line ${line}: ${first?.split(",")[1]} has the same key as line ${kept}`,
    `line ${other}: ${second?.split(",")[1]} has the same key as line ${otherKept}`,
    `2 rows repeat a key; the ${repeats} row of each key counts.\n`,
  ].join("\n");
  const dry = await add("--repeats", repeats, "--dry-run");
  expect(dry).toMatchObject({ code: 0, sent: 3, outcomes: outcomes.replaceAll("added", "valid") });
  expect(dry.stderr).toContain(`${notes}All rows are valid; 3 of 5 would be sent (dry run).`);
  const run = await add("--repeats", repeats, "--concurrency", "1");
  expect(run).toMatchObject({ code: 0, sent: 3, outcomes });
  expect(run.stderr).toContain(notes);
  expect(run.stderr).toMatch(/^Added 3 of 5 animals in .*; 2 repeated\.$/m);
  expect(await namesIn(store)).toEqual(names);
  const again = await add("--repeats", repeats);
  expect(again).toMatchObject({ code: 0, sent: 0, outcomes });
  expect(again.stderr).toBe("Nothing sent: 3 of 5 added earlier, 2 repeated.\n");
  const [listed] = JSON.parse((await runInTime(["imports", "--json"], { env })).stdout);
  expect(listed).toMatchObject({ rows: 5, added: 3, invalid: 0, left: 0 });
  const shown = await runInTime(["imports", "show", "1", "--json"], { env });
  const recorded: { outcome: string }[] = JSON.parse(shown.stdout);
  expect(recorded.map(({ outcome }) => outcome).join(" ")).toBe(outcomes);
});

it.each([
  ["last", "1,Max,x", "repeated invalid added"],
  ["first", "1,Max,2", "invalid repeated added"],
])(
  "--repeats %s sends no other row of a key if the one that counts is invalid",
  async (repeats, max, outcomes) => {
    const store = await startFaultyStore();
    const rex = repeats === "first" ? "1,Rex,x" : "1,Rex,1";
    const { add } = week(envFor(store), [rex, max, "3,Leo,1"]);
    const run = await add("--repeats", repeats, "--skip-invalid");
    expect([run.code, run.outcomes, run.sent]).toEqual([9, outcomes, 1]);
  },
);

it("compares only the rows that count with earlier files, in their results too", async () => {
  const store = await startFaultyStore();
  const env = envFor(store);
  const last = ["--repeats", "last"];
  expect(await week(env).add(...last)).toMatchObject({ code: 0 });
  const next = week(env, [...rows, "4,Ida,1", "4,Ada,1", "3,Leo,2"]);
  const refused = await next.add(...last);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(
    "nothing sent: 3 of 4 animals are in earlier files: 2 added, 1 changed",
  );
  expect(refused.outcomes).toBe("repeated repeated known known repeated repeated not_sent changed");
  const sent = await next.add(...last, "--only-new");
  const outcomes = "repeated repeated known known repeated repeated added changed";
  expect(sent).toMatchObject({ code: 0, sent: 1, outcomes });
  const given = week(env);
  writeFileSync(given.file, readFileSync(next.results));
  expect(await given.add(...last, "--only-new")).toMatchObject({
    code: 0,
    sent: 0,
    outcomes: "repeated repeated known known repeated repeated known changed",
  });
  expect(await namesIn(store)).toHaveLength(4);
});

it.each([
  ["rejected", 400, 9],
  ["unknown", 500, 8],
])("a row stays repeated if the one that counts is %s", async (outcome, status, code) => {
  const shop = await startShop("store-1");
  const { add } = week(envFor(shop), ["1,Rex,1", "1,Max,1", "2,Leo,1"]);
  shop.on("Rex", failing(status));
  const run = await add("--repeats", "first");
  expect(run).toMatchObject({ code, outcomes: `${outcome} repeated added` });
  const check = await add("--repeats", "first", "--check-unknown");
  expect(check).toMatchObject({ code, outcomes: `${outcome} repeated added` });
});

it("needs --key, which a mapping may have as well, and is offered where a key is repeated", async () => {
  const shop = await startShop("store-1");
  const env = envFor(shop);
  const { file, folder, add } = week(env);
  const without = await runInTime(["add", "--from", file, "--repeats", "first"], { env });
  expect(without).toMatchObject({ code: 2, stdout: "" });
  expect(without.stderr).toContain("--repeats needs --key, the column that identifies an animal");
  const invalid = await add();
  expect(invalid).toMatchObject({ code: 2, outcomes: "valid valid invalid invalid valid" });
  expect(invalid.stderr).toContain("Try it with: --repeats '<first|last>'");
  const mapping = path.join(folder, "shelter.map");
  writeFileSync(mapping, "--repeats last\n--key chip\n");
  const mapped = ["add", "--from", file, "--mapping", mapping];
  expect(await runInTime(mapped, { env })).toMatchObject({ code: 0 });
  expect((await add("--repeats", "last")).stderr).toContain("Nothing sent: 3 of 5 added earlier");
  writeFileSync(mapping, "--key chip\n--repeats both\n");
  const wrong = await runInTime(mapped, { env });
  expect(wrong).toMatchObject({ code: 2 });
  expect(wrong.stderr).toContain("shelter.map, line 2: ");
  expect(shop.names().toSorted()).toEqual(["Leo", "Max", "Tom"]);
});

it("a run that is killed goes on with the rows that count", async () => {
  const store = await startFaultyStore({ latency: "20" });
  const env = envFor(store);
  const many = Array.from({ length: 300 }, (_none, i) => `${i % 150},Pet ${i},1`);
  const { words, add } = week(env, many);
  const child = startPets([...words, "--repeats", "last"], { env });
  const ended = finished(child);
  child.stdout.once("data", () => child.kill("SIGKILL"));
  expect((await ended).signal).toBe("SIGKILL");
  const { code, outcomes } = await add("--repeats", "last", "--retry-unknown");
  expect(code).toBe(0);
  expect(new Set(outcomes.split(" ").slice(0, 150))).toEqual(new Set(["repeated"]));
  expect(new Set(outcomes.split(" ").slice(150))).toEqual(new Set(["added"]));
  const wanted = many.slice(150).map((_row, i) => `Pet ${150 + i}`);
  expect([...new Set(await namesIn(store))].toSorted()).toEqual(wanted);
});
