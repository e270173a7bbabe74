import type { Command } from "commander";
import { examples } from "../examples.ts";
import { topics } from "../topics/index.ts";
import { notes } from "../notes.ts";
import { argumentTerms, optionTerms, pathOf, usageOf } from "../sections.ts";
import { files } from "./files.ts";
import { bold, request, roffSection, roffText } from "./roff.ts";

/** What the page tells that is in no definition. */
export interface PageFacts {
  readonly version: string;
  /** When this version was released, as in 2026-11-21; undefined where it was not. */
  readonly date: string | undefined;
  /** Where faults are reported. */
  readonly bugs: string;
}

/** The man page pets(1), from `root` and all commands below it, in the language of man(7). */
export function manPage(root: Command, { version, date = "", bugs }: PageFacts): string {
  const lines = [
    // Words that are to be pasted are neither hyphenated (groff by its register, others by `nh`) nor
    // stretched.
    ".nr HY 0",
    titleLine(version, date),
    ".nh",
    ".ad l",
    ...head(root),
    request("SH", "COMMANDS"),
    ...commandsBelow(root).flatMap(commandLines),
    ...roffSection("SH", "GLOBAL OPTIONS", [
      "These are options of every command, and may stand before its name too.",
      { terms: optionTerms(root, true) },
    ]),
    ...Object.values(topics).flatMap(({ heading, blocks }) =>
      roffSection("SH", heading.toUpperCase(), blocks),
    ),
    ...roffSection("SH", "FILES", files),
    ...roffSection("SH", "EXAMPLES", [{ lines: examples[""] ?? [] }]),
    ...roffSection("SH", "SEE ALSO", [
      "`jq`(1), `xargs`(1), and `pets help`, which has the same texts.",
    ]),
    ...roffSection("SH", "BUGS", [`Please report them at ${bugs}`]),
  ];
  return `${lines.join("\n")}\n`;
}

/** mandoc reads the date only where its hyphens are no escapes. */
function titleLine(version: string, date: string): string {
  return `.TH PETS 1 "${date}" "pets ${roffText(version)}" "User Commands"`;
}

function head(root: Command): readonly string[] {
  const what = root
    .description()
    .replace(/^./, (first) => first.toLowerCase())
    .replace(/\.$/, "");
  const usages = commandsBelow(root).map(usageLine);
  return [
    request("SH", "NAME"),
    String.raw`${root.name()} \- ${roffText(what)}`,
    request("SH", "SYNOPSIS"),
    usages.join("\n.br\n"),
    ...roffSection("SH", "DESCRIPTION", [root.description(), ...(notes[""] ?? [])]),
  ];
}

/** All commands below `command`, each before its own subcommands. */
function commandsBelow(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => [child, ...commandsBelow(child)]);
}

/** How `command` is written, as a line of roff. */
function usageLine(command: Command): string {
  const path = pathOf(command).join(" ");
  return `${bold(path)}${roffText(usageOf(command).slice(path.length))}`;
}

/** What is told of one command: its own part of the help, but for the options of all commands. */
function commandLines(command: Command): readonly string[] {
  const key = pathOf(command).slice(1).join(" ");
  return roffSection("SS", usageOf(command), [
    command.description(),
    { terms: [...argumentTerms(command), ...optionTerms(command, false)] },
    ...(notes[key] ?? []),
    "Examples:",
    { lines: examples[key] ?? [] },
  ]);
}
