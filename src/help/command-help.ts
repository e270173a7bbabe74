import type { Command } from "commander";
import { termsOf } from "./blocks.ts";
import { examples } from "./examples.ts";
import { notes } from "./notes.ts";
import { plainBlocks, plainSection, termColumn } from "./render-text.ts";
import { pathOf, sectionsOf, usageOf } from "./sections.ts";

/** The help of `command` for a screen of `columns`: usage, what it takes, notes, examples. */
export function commandHelp(command: Command, columns?: number): string {
  const sections = sectionsOf(command);
  // The options of all commands, and the words of this one: all meanings stand below each other.
  const column = termColumn(sections.flatMap(({ blocks }) => termsOf(blocks)));
  const path = pathOf(command).slice(1).join(" ");
  const parts = [
    plainBlocks([`Usage: ${usageOf(command)}`, command.description()], columns),
    ...sections.map((section) => plainSection(section, columns, column)),
    ...(notes[path] ?? []).map((block) => plainBlocks([block], columns)),
    plainSection({ heading: "Examples", blocks: [{ lines: examples[path] ?? [] }] }, columns),
  ];
  return `${parts.join("\n\n")}\n`;
}
