import { Marked, type Token, type Tokens } from "marked";
import { maxWidth, wrap } from "../output/wrap.ts";

const indent = 2;
const gap = 2;
/** With fewer columns than this, the meaning of a term goes below the term. */
const minMeaningWidth = 26;
const indentBelow = 6;

/** Returns Markdown as text for a screen of `columns`: code stays in backticks, addresses of links are left out. */
export function plainText(markdown: string, columns = maxWidth): string {
  const width = Math.min(columns, maxWidth);
  const blocks = new Marked().lexer(markdown).map((token) => plainBlock(token, width));
  return blocks.filter((block) => block !== "").join("\n\n");
}

const isTable = (token: Token): token is Tokens.Table => token.type === "table";

function plainBlock(token: Token, width: number): string {
  if (token.type === "heading") return runningText(token).toUpperCase();
  if (token.type === "code") return indented(token.text.split("\n"), indent);
  if (token.type === "list")
    return token.items
      .map((item: Token) => indented(wrap(runningText(item), width - indent), indent).trim())
      .map((item: string) => `- ${item}`)
      .join("\n");
  if (isTable(token)) return plainTable(token, width);
  return wrap(runningText(token), width).join("\n");
}

/** Returns a table with aligned columns. One of two columns, or too wide for the screen, becomes a list of terms. */
function plainTable(table: Tokens.Table, width: number): string {
  const head = table.header.map(runningText);
  const rows = rowsOf(table);
  if (head.length === 2) return plainTerms(rows, width);
  const shown = [head.map((name) => name.toUpperCase()), ...rows];
  const widths = head.map((_name, i) => Math.max(...shown.map((row) => row[i]?.length ?? 0)));
  const lines = shown.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  "));
  if (lines.every((line) => indent + line.trimEnd().length <= width))
    return indented(lines, indent);
  const named = rows.map(([first = "", ...cells]) => [
    first,
    cells.map((cell, i) => `${head[i + 1]}: ${cell}`).join("; "),
  ]);
  return plainTerms(named, width);
}

/** Returns the cells of a table, the first of each row without backticks. */
function rowsOf({ rows }: Tokens.Table): readonly string[][] {
  return rows.map((cells) => {
    const [first = "", ...rest] = cells.map(runningText);
    return [first.replaceAll("`", ""), ...rest];
  });
}

function plainTerms(terms: readonly string[][], width: number): string {
  const column = indent + Math.max(...terms.map(([term = ""]) => term.length)) + gap;
  const isBeside = width - column >= minMeaningWidth;
  const lines = terms.map(([term = "", meaning = ""]) => {
    if (isBeside) {
      const rest = indented(wrap(meaning, width - column), column).slice(indent + term.length);
      return `${" ".repeat(indent)}${term}${rest}`.trimEnd();
    }
    const below = indented(wrap(meaning, width - indentBelow), indentBelow);
    return `${indented(wrap(term, width - indent), indent)}\n${below}`;
  });
  return lines.join("\n");
}

/** Returns the text of a token as one line. */
function runningText(token: Token | Tokens.TableCell): string {
  return inlineText(token)
    .trim()
    .replaceAll(/\s*\n\s*/g, " ");
}

function inlineText(token: Token | Tokens.TableCell): string {
  if ("tokens" in token && token.tokens !== undefined) return token.tokens.map(inlineText).join("");
  return "raw" in token && token.type !== "image" ? token.raw : "";
}

const indented = (lines: readonly string[], by: number): string =>
  lines.map((line) => `${" ".repeat(by)}${line}`.trimEnd()).join("\n");
