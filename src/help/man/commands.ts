import type { Command } from "commander";
import { examples } from "../examples.ts";
import { notes } from "../notes.ts";
import { argumentTerms, optionTerms, pathOf, usageOf } from "../sections.ts";
import { roffSection } from "./blocks.ts";
import { bold, roffText } from "./roff.ts";

/** All commands below `command`, each before its own subcommands. */
export function commandsBelow(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => [child, ...commandsBelow(child)]);
}

/** How `command` is written, as a line of roff. */
export function usageLine(command: Command): string {
  const path = pathOf(command).join(" ");
  return `${bold(path)}${roffText(usageOf(command).slice(path.length))}`;
}

/** What is told of one command: its own part of the help, but for the options of all commands. */
export function commandLines(command: Command): readonly string[] {
  const key = pathOf(command).slice(1).join(" ");
  return roffSection("SS", usageOf(command), [
    command.description(),
    { terms: [...argumentTerms(command), ...optionTerms(command, false)] },
    ...(notes[key] ?? []),
    "Examples:",
    { lines: examples[key] ?? [] },
  ]);
}
