import { describe, expect, it } from "vitest";
import { parseLine } from "../support/command/parse-line.ts";
import { runHere } from "../support/command/world.ts";
import { storeEnv } from "../support/servers/store-env.ts";

const wordsOf = (line: string) => line.split(" ").filter((word) => word !== "");
const parse = (line: string) => parseLine(wordsOf(line));

describe("runProgram", () => {
  it.each([
    ["", "Usage: pets [options] [command]\n"],
    ["--help", "Usage: pets [options] [command]\n"],
    ["--json profile use -h", "Usage: pets profile use [options] <profile>\n"],
    ["profile -h", "Usage: pets profile [options] [command]\n"],
    ["--help ls", "Usage: pets list|ls [options]\n"],
    ["add --name=-h --help", "Usage: pets add [options]\n"],
    ["--version", "1.2.3\n"],
    ["profile use -V", "1.2.3\n"],
  ])("prints a text for %j", async (line, start) => {
    const { code, stdout, stderr } = await runHere(wordsOf(line));
    expect([code, stdout.slice(0, start.length), stderr]).toEqual([0, start, ""]);
  });

  it.each([
    "list --limit x --help",
    "list --help --limit x",
    "-V list --limit x",
    "list x --help",
    "bogus --help",
    "list --bogus -V",
    "list --timeout x --help",
    "--timeout x",
    "store --fields ids --help",
    "completion bash --timeout x",
    "completion --fields x --help",
    "add --reserve 20% --help",
    "add --name -h --help",
    "help -o bogus",
    "help --fields id",
    "serve --fields bogus",
    "store stop --fields x",
    "store page --fields x",
    "imports forget 3 --fields x",
    "status --profile a/b --version",
  ])("prints nothing on standard output for the wrong line %j", async (line) => {
    const { code, stdout, stderr } = await runHere(wordsOf(line));
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringMatching(/^pets: /)]);
  });

  it.each(["help --json", "help -o json"])("%s prints JSON", async (line) => {
    expect(JSON.parse((await runHere(wordsOf(line))).stdout)).toMatchObject({ name: "pets" });
  });

  it.each<[string, string, string | undefined, object]>([
    ["lst", "unknown command 'lst'", "(Did you mean one of list, ls?)", {}],
    ["nope", "unknown command 'nope'", undefined, {}],
    ["bogus", "unknown command 'bogus'", "(Did you mean logout?)", {}],
    ["list --li\nmit", "unknown option '--li\nmit'", "(Did you mean --limit?)", {}],
    ["--json list --stats", "unknown option '--stats'", "(Did you mean --status?)", { json: true }],
    ["list x -o json", 'unexpected argument "x"', undefined, { output: "json" }],
    ["list avalable", 'argument "avalable"; did you mean `--status available`?', undefined, {}],
    ["get 1 2", 'unexpected argument "2"', undefined, {}],
    ["get", "missing required argument 'id'", undefined, {}],
    ["keys ad", "unknown command 'ad'", "(Did you mean add?)", {}],
    ["list --json --colour", "unknown option '--colour'", undefined, { json: true }],
    ["--json lists", "unknown command 'lists'", "(Did you mean list?)", { json: true }],
    ["add --name=--json --colour", "unknown option '--colour'", undefined, { name: "--json" }],
  ])("refuses %j in commander's words: %s %s", async (line, message, meant, typed) => {
    const outcome = await parse(line);
    expect(outcome).toMatchObject({
      failure: { kind: "usage", message: expect.stringContaining(message) },
    });
    expect(outcome.typed).toEqual(typed);
    const { hints = [] } = outcome.failure ?? {};
    expect(hints.slice(0, -1)).toEqual(meant === undefined ? [] : [meant]);
    expect(hints.at(-1)).toMatch(/^See `pets.* --help`\.$/);
  });

  it.each([["delete 7", "no animal can be deleted"]])(
    "%s says what the API can do, or which command is meant",
    async (line, meaning) => {
      const [word] = line.split(" ");
      const message = expect.stringContaining(`unknown command '${word}'; ${meaning}`);
      expect(await parse(line)).toMatchObject({ failure: { message } });
    },
  );

  it.each([
    ["list", {}],
    ["list --json", { json: true }],
    ["--json list", { json: true }],
    ["--profile a list --profile b", { profile: "b" }],
    ["list --profile=a -qv", { profile: "a", quiet: true, verbose: true }],
    ["list -ocsv --no-color", { output: "csv", color: false }],
    ["profile --json show -v", { json: true, verbose: true }],
    ["get -5 -q", { quiet: true }],
    ["add --name=--json", { name: "--json" }],
  ])("finds the options of pets %s: %j", async (line, typed) => {
    expect(await parse(line)).toEqual({ typed, failure: undefined });
  });

  it("takes options before or after the command; the later one wins", async () => {
    const words = "--fields status -o json list --limit 1 -o csv".split(" ");
    const { stdout } = await runHere(words, { env: await storeEnv() });
    expect(stdout).toBe("status\r\nsold\r\n");
  });
});
