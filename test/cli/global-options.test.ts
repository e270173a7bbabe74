import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CommandDefinition } from "../../src/commands/command.ts";
import { commands } from "../../src/commands/index.ts";
import type { Context } from "../../src/commands/context.ts";
import { optionsMentionedIn } from "../../src/cli/global-options.ts";
import { parseArguments } from "../../src/cli/program.ts";
import { recordOutput } from "../support/terminal.ts";

describe("optionsMentionedIn", () => {
  it.each<[string, string, boolean]>([
    ["list --json", "--json", true],
    ["list", "--json", false],
    ["list --profile=x", "--profile <name>", true],
    ["list --profile x", "--profile <name>", true],
    ["list --profiles", "--profile <name>", false],
    ["list -ojson", "-o, --output <format>", true],
    ["list -qv", "-v, --verbose", true],
    ["list --output=csv", "-o, --output <format>", true],
    ["list --output=csv", "-q, --quiet", false],
    ["get -5", "-q, --quiet", true],
    ["get -5", "--json", false],
    ["add --name --json", "--json", true],
  ])("%s, %s: %s", (line, flags, expected) => {
    expect(optionsMentionedIn(line.split(" "))(flags)).toBe(expected);
  });
});

/** What a parser with the wanted global options makes of `argv`: a failure, a text, or what is run. */
async function outcomeOf(argv: readonly string[], isWanted: (flags: string) => boolean) {
  const parameters: unknown[][] = [];
  const definition = commands.find(({ name }) => name === argv[0]);
  if (definition === undefined) throw new Error(`there is no command ${argv[0]}`);
  const recording: CommandDefinition = {
    ...definition,
    run: async (_context, ...typed) => void parameters.push([...typed]),
  };
  const program = { version: "1.2.3", node: "", script: "", platform: process.platform };
  const outcome = parseArguments({ argv, stdout: recordOutput(), program }, [recording], isWanted);
  if (!("run" in outcome)) return undefined;
  await outcome.run({} as Context);
  const [given = []] = parameters;
  // The last one is the parser's own; before it stand the options, of which those typed are asked for.
  const { color: _default, ...options } = given.at(-2) as Record<string, unknown>;
  return { globals: outcome.globals, given: given.slice(0, -2), options };
}

describe("a parser that knows the options that are named", () => {
  const word = fc.oneof(
    fc.constantFrom(
      "--json",
      "-o",
      "-ocsv",
      "--output=tsv",
      "--output",
      "-q",
      "-qv",
      "-vq",
      "--no-color",
      "--profile",
      "--profile=a",
      "--fields",
      "id,name",
      "--timeout",
      "5s",
      "--max-wait=0",
      "--allow-http",
      "--base-url",
      "http://[::1]/v1",
      "--jso",
      "--colour",
      "--",
      "-",
      "-5",
      "--status",
      "available",
      "--limit=3",
      "--name",
      "Rex",
      "--category",
      "7",
      "--from",
      "x",
    ),
    fc.string({ maxLength: 4 }),
  );
  const command: fc.Arbitrary<string> = fc.constantFrom("list", "add", "get", "limits", "login");
  const line = fc
    .tuple(command, fc.array(word, { maxLength: 6 }))
    .map(([first, words]) => [first].concat(words));

  it("makes of a line that it takes what one that knows all does", async () => {
    await fc.assert(
      fc.asyncProperty(line, async (argv) => {
        const outcome = await outcomeOf(argv, optionsMentionedIn(argv));
        const full = await outcomeOf(argv, () => true);
        expect(outcome ?? full).toEqual(full);
      }),
      { numRuns: 2000 },
    );
  });
});
