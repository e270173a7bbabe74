import { type CommandUnknownOpts, Help } from "@commander-js/extra-typings";
import { isGlobal } from "../../config/settings.ts";
import { aboutOf, commandTree, wordsOf } from "../about.ts";
import type { Term } from "../blocks.ts";
import { readMarkdown } from "../markdown.ts";
import { sentenceOf } from "../render-text.ts";
import { bold, request, roffBlocks, roffSection, roffText } from "./roff.ts";

/** The parts of the page that are in no definition. */
export interface PageFacts {
  readonly version: string;
  /** The date of this version's release, as in 2026-11-21; undefined if it is not released. */
  readonly date: string | undefined;
  /** The Markdown of the help topics. */
  readonly topics: readonly string[];
}

/** Returns the man page pets(1) of `program` and all its commands, in the language of man(7). */
export function manPage(
  program: CommandUnknownOpts,
  { version, date = "", topics }: PageFacts,
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
    ...commandTree(program).slice(1).flatMap(commandLines),
    ...roffSection("SH", "GLOBAL OPTIONS", [
      "Every command takes these options. They can also be given before its name.",
      { terms: optionTerms(program) },
    ]),
    ...topics.flatMap((topic) => roffBlocks(readMarkdown(topic))),
    ...roffSection("SH", "EXAMPLES", [{ lines: linesOf(program) }]),
    ...roffSection("SH", "SEE ALSO", [
      "`jq`(1), `xargs`(1), and `pets help`, which shows the same texts.",
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns the title line. The hyphens of the date are not escaped: mandoc would not read it. */
function titleLine(version: string, date: string): string {
  return `.TH PETS 1 "${date}" "pets ${roffText(version)}" "User Commands"`;
}

function head(program: CommandUnknownOpts): readonly string[] {
  return [
    request("SH", "NAME"),
    String.raw`${program.name()} \- ${roffText(program.description())}`,
    request("SH", "SYNOPSIS"),
    commandTree(program).slice(1).map(usageLine).join("\n.br\n"),
    ...roffSection("SH", "DESCRIPTION", [
      program.description(),
      ...readMarkdown(aboutOf(program).notes ?? ""),
    ]),
  ];
}

/** Returns the usage of a command as a line of roff. */
function usageLine(command: CommandUnknownOpts): string {
  return `${bold(wordsOf(command))}${roffText(` ${command.usage()}`)}`;
}

/** Returns the section of one command: its help without the global options. */
function commandLines(command: CommandUnknownOpts): readonly string[] {
  const taken = command.registeredArguments.flatMap((each): readonly Term[] =>
    each.description === "" ? [] : [[each.name(), each.description]],
  );
  return roffSection("SS", `${wordsOf(command)} ${command.usage()}`, [
    sentenceOf(command),
    { terms: [...taken, ...optionTerms(command)] },
    ...readMarkdown(aboutOf(command).notes ?? ""),
    "Examples:",
    { lines: linesOf(command) },
  ]);
}

function optionTerms(command: CommandUnknownOpts): readonly Term[] {
  const help = new Help();
  const shown = help
    .visibleOptions(command)
    .filter((option) => command.parent === null || !isGlobal(option));
  return shown.map((option) => [option.flags, help.optionDescription(option)]);
}

function linesOf(command: CommandUnknownOpts): readonly string[] {
  return aboutOf(command).examples;
}

/** Returns the date of `version` in the headings of a changelog (`## 1.2.0 - 2026-11-21`), if it has one. */
export function releaseDate(changelog: string, version: string): string | undefined {
  for (const [, name, date] of changelog.matchAll(/^## \[?([^\s\]]+)\]? - (\d{4}-\d\d-\d\d)$/gm)) {
    if (name === version) return date;
  }
  return undefined;
}
