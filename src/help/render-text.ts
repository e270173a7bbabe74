import { type CommandUnknownOpts, Help, type Option } from "@commander-js/extra-typings";
import { isGlobal } from "../config/settings.ts";
import { maxWidth, wrap } from "../output/text/wrap.ts";
import { aboutOf, wordsOf } from "./about.ts";
import { type Block, type Table, tableTerms, type Term } from "./blocks.ts";
import { readMarkdown } from "./markdown.ts";

const indent = 2;
const gap = 2;
/** With fewer columns than this, the meaning of a term goes below the term. */
const minMeaningWidth = 26;
const indentBelow = 6;

/**
 * Returns `blocks` as text for a screen of `columns`, with an empty line between them and no line end
 * at the end. Meanings start at `column`, by default right of the longest term of their block.
 */
export function plainBlocks(blocks: readonly Block[], columns = maxWidth, column?: number): string {
  const width = Math.min(columns, maxWidth);
  return blocks.map((block) => plainBlock(block, width, column)).join("\n\n");
}

/** Returns the column at which the meanings of `terms` start. */
function termColumn(terms: readonly Term[]): number {
  return indent + Math.max(0, ...terms.map(([term]) => term.length)) + gap;
}

function plainBlock(block: Block, width: number, column?: number): string {
  if (typeof block === "string") return wrap(block, width).join("\n");
  if ("heading" in block) return block.heading.toUpperCase();
  if ("lines" in block) return plainLines(block.lines, width);
  if ("items" in block) return block.items.map((item) => plainItem(item, width)).join("\n");
  if ("rows" in block) return plainTable(block, width);
  return plainTerms(block.terms, width, column);
}

function plainTerms(terms: readonly Term[], width: number, column = termColumn(terms)): string {
  return terms.map((term) => plainTerm(term, width, column)).join("\n");
}

function plainItem(item: string, width: number): string {
  const lines = wrap(item, width - indent);
  return lines
    .map((line, index) => (index === 0 ? `- ${line}` : indented(line, indent)))
    .join("\n");
}

/** Returns a table with aligned columns, or as terms when it is wider than the screen. */
function plainTable(table: Table, width: number): string {
  const rows = [table.head.map((name) => name.toUpperCase()), ...table.rows];
  const widths = table.head.map((_name, index) =>
    Math.max(...rows.map((row) => (row[index] ?? "").length)),
  );
  const lines = rows.map((row) =>
    indented(
      row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  "),
      indent,
    ).trimEnd(),
  );
  const fits = lines.every((line) => line.length <= width);
  return fits ? lines.join("\n") : plainTerms(tableTerms(table), width);
}

/** Returns lines of code; if one is too wide, comments after commands move to lines of their own, above. */
function plainLines(lines: readonly string[], width: number): string {
  const isWide = lines.some((line) => indent + line.length > width);
  const shown = isWide ? lines.flatMap((line) => commentAbove(line, width)) : lines;
  return shown.map((line) => indented(line, indent).trimEnd()).join("\n");
}

/** Matches what ends with `&&` or `|` outside quotes, and the rest. */
const commandParts = /(?:'[^']*'|"[^"]*"|(?! (?:&&|\|) ).)+(?: (?:&&|\|))?/g;

/** Returns a command line that is too wide as several, which a shell reads as one. */
function broken(line: string, width: number): readonly string[] {
  if (indent + line.length <= width) return [line];
  const parts = line.match(commandParts) ?? [line];
  return parts.map((part, place) => (place === 0 ? part : indented(part.trim(), indent)));
}

function commentAbove(line: string, width: number): readonly string[] {
  const [, code, comment] = /^(.*?\S)\s+# (.*)$/.exec(line) ?? [];
  if (code === undefined || comment === undefined) return [line];
  return [...wrap(comment, width - indent - 2).map((part) => `# ${part}`), code];
}

function plainTerm([term, meaning]: Term, width: number, column: number): string {
  if (width - column < minMeaningWidth) {
    const head = wrap(term, width - indent).map((line) => indented(line, indent));
    const below = wrap(meaning, width - indentBelow);
    return [...head, ...below.map((line) => indented(line, indentBelow))].join("\n");
  }
  const head = indented(term, indent);
  const [first = "", ...rest] = wrap(meaning, width - column);
  const lines = [`${head.padEnd(column)}${first}`, ...rest.map((line) => indented(line, column))];
  return lines.join("\n").trimEnd();
}

const indented = (text: string, by: number): string => `${" ".repeat(by)}${text}`;

/** What the help of a command shows instead of the global options. */
const globalOptionsNote = "Global options, such as --profile, --json and --quiet: see `pets help`.";

/** Returns the help of a command for a screen of `columns`: commander's, then notes and examples. */
export function commandHelp(command: CommandUnknownOpts, columns?: number): string {
  const width = Math.min(columns ?? maxWidth, maxWidth);
  const { notes = "", examples } = aboutOf(command);
  const helper = new PetsHelp(width);
  const blocks = [
    ...(command.parent === null ? [] : [globalOptionsNote]),
    ...readMarkdown(notes),
    "Examples:",
    { lines: examples.flatMap((line) => broken(line, width)) },
  ];
  const text = plainBlocks(blocks, width).replace(/^(Examples:)\n\n/m, "$1\n");
  return `${helper.formatHelp(command, helper)}\n${text}\n`;
}

/** Commander's layout, in which no line is wider than the screen, and no command repeats the global options. */
class PetsHelp extends Help {
  override readonly helpWidth: number;

  constructor(width: number) {
    super();
    this.helpWidth = width;
  }

  override commandUsage(command: CommandUnknownOpts): string {
    return wrap(`${wordsOf(command)} ${command.usage()}`, this.helpWidth - 7).join("\n");
  }

  override commandDescription(command: CommandUnknownOpts): string {
    return wrap(command.description() || sentenceOf(command), this.helpWidth).join("\n");
  }

  override subcommandTerm(command: CommandUnknownOpts): string {
    return [command.name(), ...command.aliases()].join(", ");
  }

  override visibleOptions(command: CommandUnknownOpts): Option[] {
    const all = super.visibleOptions(command);
    return command.parent === null ? all : all.filter((option) => !isGlobal(option));
  }

  override formatItem(term: string, termWidth: number, meaning: string): string {
    return plainTerm([term, meaning], this.helpWidth, indent + termWidth + gap);
  }
}

/** Returns the summary of a command as a sentence. */
function sentenceOf(command: CommandUnknownOpts): string {
  const summary = command.summary();
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
