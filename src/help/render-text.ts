import { maxWidth, wrap } from "../output/text/wrap.ts";
import { type Block, type Table, tableTerms, type Term } from "./blocks.ts";

const indent = 2;
const gap = 2;
/** With fewer columns than this, the meaning of a term goes below the term. */
const minMeaningWidth = 26;
const indentBelow = 6;

/**
 * Returns `blocks` as text for a screen of `columns`, with an empty line between them and no line end
 * at the end.
 */
export function plainBlocks(blocks: readonly Block[], columns = maxWidth): string {
  const width = Math.min(columns, maxWidth);
  return blocks.map((block) => plainBlock(block, width)).join("\n\n");
}

/** Returns the column at which the meanings of `terms` start. */
function termColumn(terms: readonly Term[]): number {
  return indent + Math.max(0, ...terms.map(([term]) => term.length)) + gap;
}

function plainBlock(block: Block, width: number): string {
  if (typeof block === "string") return wrap(block, width).join("\n");
  if ("heading" in block) return block.heading.toUpperCase();
  if ("lines" in block) return plainLines(block.lines, width);
  if ("items" in block) return block.items.map((item) => plainItem(item, width)).join("\n");
  if ("rows" in block) return plainTable(block, width);
  return plainTerms(block.terms, width);
}

function plainTerms(terms: readonly Term[], width: number): string {
  const column = termColumn(terms);
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
