import type { Block, Table, Term } from "./blocks.ts";

/** A fenced block of code, or lines up to an empty one. */
const blockPattern = /^```[^]*?^```$|^(?:(?!```).+\n?)+/gm;

/** Matches a block that is only an image. */
const imagePattern = /^!\[[^\]]*\]\([^)]*\)$/;

/**
 * Returns the blocks of a help topic. It reads the Markdown that topics use: headings, paragraphs, fenced
 * code, tables and bulleted lists, each block followed by an empty line; in text, `code`, bold and links.
 * A block that is an image is left out.
 */
export function readMarkdown(markdown: string): readonly Block[] {
  const sources = (markdown.match(blockPattern) ?? []).map((source) => source.trimEnd());
  return sources.filter((source) => !imagePattern.test(source)).map(blockOf);
}

function blockOf(source: string): Block {
  if (source.startsWith("```")) return { lines: source.split("\n").slice(1, -1) };
  if (source.startsWith("|")) return tableOf(source.split("\n").map(cellsOf));
  if (source.startsWith("- "))
    return {
      items: source
        .split(/^- /m)
        .slice(1)
        .map((item) => runningText(item)),
    };
  const [, marks, heading] = /^(#+) (.*)$/.exec(source) ?? [];
  if (marks !== undefined) return { heading: heading ?? "", level: marks.length };
  return runningText(source);
}

/** Returns a table; one of two columns becomes a list of terms, regardless of their headers. */
function tableOf([head = [], _rule, ...rows]: readonly (readonly string[])[]): Block {
  const table: Table = { head, rows: rows.map(([first = "", ...rest]) => [bare(first), ...rest]) };
  if (head.length > 2) return table;
  return { terms: table.rows.map(([term = "", meaning = ""]): Term => [term, meaning]) };
}

/** Returns the cells of a row: `| a | b \| c |` → `a`, `b | c`. */
function cellsOf(row: string): readonly string[] {
  const cells = row.slice(1, -1).split(/(?<!\\)\|/);
  return cells.map((cell) => runningText(cell).replaceAll(String.raw`\|`, "|"));
}

const bare = (text: string): string => text.replaceAll("`", "");

/** Returns text as one line, without the marks of bold text and the addresses of links. */
function runningText(source: string): string {
  const line = source.trim().replaceAll(/\s*\n\s*/g, " ");
  return line.replaceAll(/\*\*(.+?)\*\*/g, "$1").replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1");
}
