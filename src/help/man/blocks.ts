import type { Block, Term } from "../blocks.ts";
import { bold, italic, request, roffText, textLine } from "./roff.ts";

/** `blocks` as lines of roff. */
export function roffBlocks(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap((block) => {
    if (typeof block === "string") return [".PP", paragraph(block)];
    return "lines" in block ? codeLines(block.lines) : block.terms.flatMap(termLines);
  });
}

/** `blocks` below a heading that the macro `name` makes: it makes the space that a paragraph would. */
export function roffSection(
  name: "SH" | "SS",
  heading: string,
  blocks: readonly Block[],
): readonly string[] {
  const lines = roffBlocks(blocks);
  return [request(name, heading), ...(lines[0] === ".PP" ? lines.slice(1) : lines)];
}

/** Text with `code` between backticks, as a line of roff. */
function paragraph(text: string): string {
  const parts = text.split(/`([^`]*)`/);
  return textLine(
    parts.map((part, place) => (place % 2 === 1 ? bold(part) : roffText(part))).join(""),
  );
}

function termLines([term, meaning]: Term): readonly string[] {
  return [".TP", termLine(term), paragraph(meaning)];
}

/** A flag, a variable or a code in bold, its placeholder in italics. */
function termLine(term: string): string {
  const parts = term.split(/(<[^>]*>|, )/);
  return parts.map((part, place) => (place % 2 === 0 ? flag(part) : placeholder(part))).join("");
}

const flag = (text: string): string => {
  const [, word = "", rest = ""] = /^(.*?)(\s*)$/.exec(text) ?? [];
  return word === "" ? rest : `${bold(word)}${rest}`;
};

const placeholder = (text: string): string => (text === ", " ? text : italic(text));

function codeLines(lines: readonly string[]): readonly string[] {
  const shown = lines.map((line) => textLine(roffText(line)));
  return [".PP", ".RS 4", ".EX", ...shown, ".EE", ".RE"];
}
