import { Command, Option } from "@commander-js/extra-typings";
import { describe, expect, it } from "vitest";
import { addGlobalOptions } from "../../src/config/settings.ts";
import { commandHelp, textBelow, termLines } from "../../src/help/command-help.ts";

const wide =
  "pets serve --memory --check --profile ci --detach && echo 'a && b' | jq .early && pets store stop";
const list = new Command("list")
  .alias("ls")
  .summary("list animals")
  .addOption(new Option("--limit <number>", "at most this many").default("20"))
  .addOption(new Option("--old <word>", "the hidden one").hideHelp())
  .configureHelp({ examples: ["pets list", wide], notes: "A note." });
const program = new Command("pets").addHelpText("afterAll", textBelow).addCommand(list);
addGlobalOptions(program);

describe("the help of a command", () => {
  it("shows usage, summary, options, notes and examples, and names the global options", () => {
    expect(commandHelp(list, 200)).toBe(`Usage: pets list|ls [options]

List animals.

Options:
  --limit <number>  at most this many (default: "20")

Global options, such as --profile, --json and --quiet: see \`pets help\`.

A note.

Examples:
  pets list
  pets serve --memory --check --profile ci --detach &&
    echo 'a && b' |
    jq .early &&
    pets store stop
`);
  });

  it("lists the global options of the program", () => {
    expect(commandHelp(program)).toMatch(/\nGlobal options:\n {2}--profile [^]*\n {2}-h, --help/);
  });

  it.each([
    [66, /^ {2}--fields <names> .{1,46}\n {20,}\S/m],
    [40, /^ {2}--base-url <url>\n {6}base URL of the service\n/m],
  ])("fits into a screen of %i columns, but for commands to paste", (columns, shown) => {
    const texts = [commandHelp(program, columns), commandHelp(list, columns)].join("\n");
    const tooWide = texts.split("\n").filter((line) => line.length > columns);
    expect(tooWide.filter((line) => !/^ {2,4}(?:pets|echo) /.test(line))).toEqual([]);
    expect(texts).toMatch(shown);
  });
});

describe("termLines", () => {
  it("puts each meaning beside its term", () => {
    expect(termLines({ a: "one", long: "two" })).toBe("  a     one\n  long  two");
  });
});
