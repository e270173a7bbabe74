import { assert, asyncProperty, bigInt, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { problemInName } from "../../src/core/pet-fields.ts";
import { runHere } from "../support/command/world.ts";
import { cleanEnv } from "../support/program/program.ts";
import { storeEnv } from "../support/servers/store-env.ts";
import { reply, startStranger } from "../support/servers/stranger.ts";

const int64Max = "9223372036854775807";
const int64Min = "-9223372036854775808";

describe("pets add", () => {
  it.each([int64Max, int64Min, "0", "9007199254740993"])(
    "keeps category %s exact",
    async (category) => {
      const env = await storeEnv();
      const argv = ["add", "--name", "Rex", "--category", category, "--json"];
      const added = await runHere(argv, { env });
      const [, id = ""] = /^\{"id":(\d+),/.exec(added.stdout) ?? [];
      const stdout = `{"id":${id},"name":"Rex","categoryId":${category}}\n`;
      expect(added).toEqual({ code: 0, stdout, stderr: "" });
      const got = await runHere(["get", id, "--quiet", "-o", "csv"], { env });
      expect(got.stdout).toBe(`id,name,categoryId,status\r\n${id},Rex,${category},\r\n`);
      const listed = await runHere(["list", "--limit", "1", "-o", "tsv", "-q"], { env });
      expect(listed.stdout).toBe(`id\tname\tcategoryId\tstatus\n${id}\tRex\t${category}\t\n`);
    },
  );

  it.each([
    [[], "NAME  CATEGORY  STATUS\nRex   7         sold\n"],
    [["--json"], '{"name":"Rex","categoryId":7,"status":"sold"}\n'],
    [["-o", "ndjson"], '{"name":"Rex","categoryId":7,"status":"sold"}\n'],
    [["-o", "csv"], "name,categoryId,status\r\nRex,7,sold\r\n"],
    [["-o", "tsv"], "name\tcategoryId\tstatus\nRex\t7\tsold\n"],
    [["-o", "csv", "--fields", "id,name"], "id,name\r\n,Rex\r\n"],
    [["--json", "--fields", "id,name"], '{"name":"Rex"}\n'],
  ])("prints with --dry-run %j what would be sent, and sends nothing", async (options, printed) => {
    const stranger = await startStranger(reply(500, ""));
    const env = { ...(await storeEnv()), PETS_BASE_URL: stranger.baseUrl };
    const argv = ["add", "--name", "Rex", "--category", "7", "--status", "sold", "--dry-run"];
    const run = await runHere([...argv, ...options], { env });
    expect({ ...run, stdout: run.stdout.replace(/ +7 +/, "   7         ") }).toEqual({
      code: 0,
      stdout: printed,
      stderr: "Nothing was sent (--dry-run).\n",
    });
    expect(stranger.requests).toEqual([]);
  });

  it("needs no key with --dry-run", async () => {
    const argv = ["add", "--name", "Rex", "--category", "7", "--dry-run", "-q", "--json"];
    const printed = '{"name":"Rex","categoryId":7}\n';
    expect(await runHere(argv)).toEqual({ code: 0, stdout: printed, stderr: "" });
  });

  it("returns names and categories unchanged", async () => {
    const env = await storeEnv();
    const name = string({ unit: "binary", minLength: 1, maxLength: 60 }).filter(
      (text) =>
        problemInName("", text) === undefined && !text.includes("\0") && text.isWellFormed(),
    );
    const category = bigInt(-(2n ** 63n), 2n ** 63n - 1n);
    await assert(
      asyncProperty(name, category, async (text, id) => {
        const run = await runHere(["add", `--name=${text}`, `--category=${id}`, "--json"], { env });
        expect(run).toMatchObject({ code: 0, stderr: "" });
        expect(run.stdout).toContain(`"categoryId":${id}}`);
        expect(JSON.parse(run.stdout)).toMatchObject({ name: text });
      }),
      { numRuns: 20 },
    );
  });

  it("names the animal when it fails", async () => {
    const env = { ...cleanEnv(), PETS_API_KEY: "k", PETS_BASE_URL: "http://127.0.0.1:1/v1" };
    const args = ["add", "--name", "Rex", "--category", int64Max];
    expect((await runHere(args, { env })).stderr).toMatch(
      new RegExp(
        `^pets: adding Rex \\(category ${int64Max}\\): 127\\.0\\.0\\.1:1 is unreachable`,
        "m",
      ),
    );
    expect((await runHere([...args, "--json"], { env })).stderr).toContain(
      `"pet":{"name":"Rex","categoryId":${int64Max}}`,
    );
  });

  it("prints only the new id with -q, unless a format was requested", async () => {
    const env = await storeEnv();
    const argv = ["add", "--name", "Rex", "--category", "1", "-q"];
    expect((await runHere(argv, { env })).stdout).toMatch(/^\d+\n$/);
    const asked = await runHere(argv, { env: { ...env, PETS_OUTPUT: "ndjson" } });
    expect(asked.stdout).toMatch(/^\{"id":\d+,"name":"Rex","categoryId":1\}\n$/);
  });

  it("says that it reads from the terminal, and how that ends, but not with -q", async () => {
    const told = "Reading standard input from the terminal; Ctrl-D ends it.\n";
    const argv = ["add", "--from", "-", "--dry-run"];
    const options = { input: "name,categoryId\nRex,1\n", answers: [] };
    const { stderr } = await runHere(argv, options);
    expect([
      stderr.slice(0, told.length),
      (await runHere([...argv, "-q"], options)).stderr,
    ]).toEqual([told, ""]);
    expect((await runHere(argv, { input: options.input })).stderr).not.toContain("terminal");
  });

  it("says why an answer is invalid, and asks again", async () => {
    const env = await storeEnv();
    const answers = ["  ", "Rex", "seven", "9223372036854775808", "7", "gone", "Sold"];
    const run = await runHere(["add", "--json"], { env, terminal: { columns: 80 }, answers });
    expect(JSON.parse(run.stdout)).toMatchObject({ name: "Rex", categoryId: 7, status: "sold" });
    expect(run.stderr.trimEnd().split("\n")).toEqual([
      "An animal cannot be changed or deleted once it is added.",
      "name must not be empty",
      'category must be an integer, not "seven"',
      expect.stringMatching(
        /^category must be from -9223372036854775808 to 9223372036854775807, not "\d+"$/,
      ),
      'status must be available, pending or sold, not "gone"',
    ]);
  });

  it("prompts for nothing without an API key", async () => {
    const run = await runHere(["add"], { terminal: { columns: 80 }, answers: ["Rex", "1"] });
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect(run.stderr).toContain("no API key");
  });
});

describe("pets add FILE", () => {
  it.each([
    [["add", "my pets.csv"], "Try `pets add --from 'my pets.csv'`."],
    [["add", "a.csv", "--profile", "x"], "Try `pets add --from a.csv --profile x`."],
    [["add", "--dry-run", "a.csv", "b.csv"], "Try `pets add --from a.csv --dry-run`."],
    [
      ["add", "Rex", "--status", "sold"],
      "Try `pets add --name Rex --category <id> --status sold`.",
    ],
    [["add", "Rex"], "Try `pets add --name Rex --category <id>`."],
    [["add", "Mr. X", "--category", "3"], "Try `pets add --name 'Mr. X' --category 3`."],
  ])("suggests the right command for %j", async (argv, hint) => {
    const run = await runHere(argv);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toMatch(/^pets: unexpected argument /);
    expect(run.stderr.trimEnd().split("\n").at(-1)).toBe(hint);
  });

  it.each([
    [["--name", "Big", "Rex", "--status", "sold"], '"Rex"', "`--name 'Big Rex'`"],
    [["--from", "my", "new", "pets.csv", "--again"], '"new"', "`--from 'my new pets.csv'`"],
  ])("says to quote a value of several words: %j", async (words, word, quoted) => {
    const stderr = `pets: unexpected argument ${word}; quote a value that contains spaces: ${quoted}\n`;
    expect(await runHere(["add", ...words])).toEqual({ code: 2, stdout: "", stderr });
  });

  it("says how to add what is piped in", async () => {
    const stderr =
      "pets: --name is missing\nTo add the animals in standard input: `pets add --from -`.\n";
    const run = await runHere(["add"], { input: "name,category\nRex,1\n" });
    expect(run).toEqual({ code: 2, stdout: "", stderr });
  });
});
