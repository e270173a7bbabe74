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

it.each<readonly [string, string, number, RegExp]>([
  ["a.csv", "", 2, /^pets: \S+a\.csv is empty$/m],
  ["a.json", '[{"name":"Rex"}]', 2, /^item 1: categoryId is missing/],
  ["a.ndjson", "", 0, /^All rows are valid; 0 would be sent/],
  ["a.csv", "Name,Category\n", 0, /^All rows are valid; 0 would be sent/],
  ["a.json", "[]", 0, /^All rows are valid; 0 would be sent/],
])("%s with %j ends with %i", async (name, text, code, stderr) => {
  const run = await runHere(["add", "--from", fileOf(name, text), "--dry-run"], {
    env: cleanEnv(),
  });
  expect(run).toMatchObject({ code, stdout: "" });
  expect(run.stderr).toMatch(stderr);
});
