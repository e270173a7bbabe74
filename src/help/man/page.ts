import type { CommandModel, ProgramModel } from "../../core/command-line.ts";
import { readMarkdown } from "../markdown.ts";
import {
  argumentTerms,
  commandOf,
  type CommandPath,
  optionTerms,
  pathsBelow,
  sentenceOf,
  usageOf,
  wordsOf,
} from "../sections.ts";
import { bold, request, roffBlocks, roffSection, roffText } from "./roff.ts";

/** The parts of the page that are in no definition. */
export interface PageFacts {
  readonly version: string;
  /** The date of this version's release, as in 2026-11-21; undefined if it is not released. */
  readonly date: string | undefined;
  /** Where bugs are reported. */
  readonly bugs: string;
  /** The Markdown of the help topics. */
  readonly topics: readonly string[];
}

/** Returns the man page pets(1) of `program` and all its commands, in the language of man(7). */
export function manPage(
  program: ProgramModel,
  { version, date = "", bugs, topics }: PageFacts,
): string {
  const lines = [
    // No hyphenation (groff by its register, others by `nh`) and no justification, so that text can be
    // pasted.
    ".nr HY 0",
    titleLine(version, date),
    ".nh",
    ".ad l",
    ...head(program),
    request("SH", "COMMANDS"),
    ...pathsBelow([program]).flatMap(commandLines),
    ...roffSection("SH", "GLOBAL OPTIONS", [
      "Every command takes these options. They can also be given before its name.",
      { terms: optionTerms(program.globalOptions) },
    ]),
    ...topics.flatMap((topic) => roffBlocks(readMarkdown(topic))),
    ...roffSection("SH", "EXAMPLES", [{ lines: linesOf(program) }]),
    ...roffSection("SH", "SEE ALSO", [
      "`jq`(1), `xargs`(1), and `pets help`, which shows the same texts.",
    ]),
    ...roffSection("SH", "BUGS", [`Please report them at ${bugs}`]),
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns the title line. The hyphens of the date are not escaped: mandoc would not read it. */
function titleLine(version: string, date: string): string {
  return `.TH PETS 1 "${date}" "pets ${roffText(version)}" "User Commands"`;
}

function head(program: ProgramModel): readonly string[] {
  const { name, summary, notes = [] } = program;
  return [
    request("SH", "NAME"),
    String.raw`${name} \- ${roffText(summary)}`,
    request("SH", "SYNOPSIS"),
    pathsBelow([program]).map(usageLine).join("\n.br\n"),
    ...roffSection("SH", "DESCRIPTION", [sentenceOf(program), ...notes]),
  ];
}

/** Returns the usage of a command as a line of roff. */
function usageLine(path: CommandPath): string {
  const words = wordsOf(path);
  return `${bold(words)}${roffText(usageOf(path).slice(words.length))}`;
}

/** Returns the section of one command: its help without the global options. */
function commandLines(path: CommandPath): readonly string[] {
  const command = commandOf(path);
  return roffSection("SS", usageOf(path), [
    sentenceOf(command),
    { terms: [...argumentTerms(command), ...optionTerms(command.options)] },
    ...(command.notes ?? []),
    "Examples:",
    { lines: linesOf(command) },
  ]);
}

function linesOf({ examples }: CommandModel): readonly string[] {
  return examples.map(({ line }) => line);
}

/** Returns the date of `version` in the headings of a changelog (`## 1.2.0 - 2026-11-21`), if it has one. */
export function releaseDate(changelog: string, version: string): string | undefined {
  for (const [, name, date] of changelog.matchAll(/^## \[?([^\s\]]+)\]? - (\d{4}-\d\d-\d\d)$/gm)) {
    if (name === version) return date;
  }
  return undefined;
}
