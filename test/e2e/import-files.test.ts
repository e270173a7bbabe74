import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runHere } from "../support/command/world.ts";
import { cleanEnv, envFor, temporaryFolder } from "../support/program/program.ts";
import { startFaultyStore } from "../support/servers/faulty-store.ts";

const names = [
  "Rex",
  "back\\slash \\n",
  'a "quoted" one',
  '"Rex"',
  "tab\there",
  "two\nlines",
  "\r\n",
  ";,",
  "=1+1",
  "é日😀",
].map((name, i) => {
  const pet = { name: name.trim() === "" ? `x${name}` : name, categoryId: i - 2 };
  return i % 2 === 0 ? Object.assign(pet, { status: "sold" }) : pet;
});

const sorted = (text: string) =>
  (JSON.parse(text) as object[]).map((pet) => JSON.stringify(pet)).toSorted();

function fileOf(name: string, text: string): string {
  const file = path.join(temporaryFolder(), name);
  writeFileSync(file, text);
  return file;
}

const bare = ["list", "--limit", "100", "--json", "--fields", "name,categoryId,status"];

describe("the output of `pets list`", () => {
  it.each(["json", "ndjson", "csv", "tsv"])(
    "as %s is read back exactly, detected by its start or by --format",
    async (format) => {
      const from = envFor(await startFaultyStore());
      const file = fileOf("a.json", JSON.stringify(names));
      expect(await runHere(["add", "--from", file, "-q"], { env: from })).toMatchObject({
        code: 0,
      });
      for (const more of [[], ["--format", format]]) {
        const listed = await runHere(["list", "--limit", "100", "-o", format], { env: from });
        const to = envFor(await startFaultyStore());
        const argv = ["add", "--from", "-", "--concurrency", "1", "-q", ...more];
        const added = await runHere(argv, { env: to, input: listed.stdout });
        expect(added).toMatchObject({ code: 0, stderr: "" });
        const [before, after] = [
          await runHere(bare, { env: from }),
          await runHere(bare, { env: to }),
        ];
        expect(sorted(after.stdout)).toEqual(sorted(before.stdout));
        expect(sorted(after.stdout)).toHaveLength(names.length);
      }
    },
  );
});

const unusedStore = () => ({
  ...cleanEnv(),
  PETS_API_KEY: "key-of-nobody",
  PETS_BASE_URL: "http://127.0.0.1:9/v1",
});

describe("a real-world file", () => {
  it.each<readonly [string, string, readonly string[], number, RegExp]>([
    ["a.csv", "", [], 2, /^pets: \S+a\.csv is empty$/m],
    ["a.json", " \n", [], 2, /^pets: \S+a\.json is empty$/m],
    ["a.json", '[{"name":"Rex"}]', [], 2, /^item 1: categoryId is missing/],
    ["a.json", '{"data":[{}]}', [], 2, /^pets: \S+ must be a JSON array of animals, not an object/],
    ["a.tsv", "", [], 2, /^pets: \S+a\.tsv is empty$/m],
    ["a.ndjson", "", [], 0, /^All rows are valid; 0 would be sent/],
    ["a.csv", "Name,Category\n", [], 0, /^All rows are valid; 0 would be sent/],
    ["a.json", "[]", [], 0, /^All rows are valid; 0 would be sent/],
    [
      "a.csv",
      "Rex,1,sold\n",
      [],
      2,
      /^Try it with: --no-header --map COLUMN=name --map COLUMN=categoryId --map .#3=status.$/m,
    ],
    ["a.csv", "name,categry\n", [], 2, /unknown column "categry" \(did you mean "categoryId"\?\)/],
    ["a.csv", "name,category\nRex,1,sold,2\n", [], 2, /value in column #3, which has no name/],
    ["a.json", "[]", ["--no-header"], 2, /--no-header needs CSV or TSV/],
    ["a.csv", "name\n", ["--items", "x"], 2, /--items needs JSON/],
    [
      "a.csv",
      "name\n",
      ["--encoding", "x"],
      2,
      /option '--encoding <label>' argument 'x' is invalid/,
    ],
  ])("%s with %j and %j", async (name, text, more, code, stderr) => {
    const argv = ["add", "--from", fileOf(name, text), "--dry-run", ...more];
    const run = await runHere(argv, { env: unusedStore() });
    expect(run).toMatchObject({ code, stdout: "" });
    expect(run.stderr).toMatch(stderr);
  });

  it("may have other columns", async () => {
    const file = fileOf("a.csv", "Tier;Art ;Status\nRex;7;SOLD\n");
    const map = ["--map", "tier=name", "--map", "Art=categoryId"];
    const run = await runHere(["add", "--from", file, "--dry-run", "-o", "ndjson", ...map], {
      env: unusedStore(),
    });
    expect(run.code).toBe(0);
    expect(run.stdout).toBe('{"name":"Rex","categoryId":7,"status":"sold"}\n');
  });
});
