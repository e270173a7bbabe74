import type { Block, Term } from "../blocks.ts";
import { tableTerms } from "../blocks.ts";

// The language is man(7) rather than mdoc(7): every program that shows man pages reads it, and the
// definitions lack the semantics that mdoc's macros would need.

/** The escapes of characters that roff would interpret, and of those that ASCII terminals lack. */
const named: Readonly<Record<string, string>> = {
  "\\": String.raw`\(rs`,
  "-": String.raw`\-`,
  "'": String.raw`\(aq`,
  '"': String.raw`\(dq`,
  "`": String.raw`\(ga`,
  "^": String.raw`\(ha`,
  "~": String.raw`\(ti`,
  "±": String.raw`\(+-`,
  "–": String.raw`\(en`,
  "…": "...",
};

/**
 * Returns `text`, which has no line ends, escaped so that groff and mandoc show it unchanged: as part of
 * a text line, or between the double quotes of a macro's argument. A hyphen stays one that can be pasted
 * (groff_man_style(7), Notes). An ellipsis becomes three dots: terminals without Unicode get nothing else.
 */
export function roffText(text: string): string {
  return text.replaceAll(/[\\\-'"`^~]|[^\x20-\x7e]/gu, (character) => {
    return named[character] ?? unicode(character.codePointAt(0) ?? 0);
  });
}

function unicode(point: number): string {
  return String.raw`\[u${point.toString(16).toUpperCase().padStart(4, "0")}]`;
}

/** Returns `escaped` as a line of text, even if it begins like a request. */
function textLine(escaped: string): string {
  return escaped.startsWith(".") ? String.raw`\&${escaped}` : escaped;
}

export const bold = (text: string): string => String.raw`\fB${roffText(text)}\fR`;
const italic = (text: string): string => String.raw`\fI${roffText(text)}\fR`;

/** Returns a request with its arguments, each in quotes. */
export function request(name: string, ...words: readonly string[]): string {
  return [`.${name}`, ...words.map((word) => `"${roffText(word)}"`)].join(" ");
}

/** Returns `blocks` as lines of roff. The macro of a heading replaces the space of a paragraph. */
export function roffBlocks(blocks: readonly Block[]): readonly string[] {
  const lines = blocks.flatMap(blockLines);
  return lines.filter((line, place) => line !== ".PP" || !/^\.S[HS] /.test(lines[place - 1] ?? ""));
}

function blockLines(block: Block): readonly string[] {
  if (typeof block === "string") return [".PP", paragraph(block)];
  if ("heading" in block) return [headingLine(block.heading, block.level)];
  if ("lines" in block) return codeLines(block.lines);
  if ("items" in block) return block.items.flatMap((item) => [bullet, paragraph(item)]);
  const terms = "rows" in block ? tableTerms(block) : block.terms;
  return terms.flatMap(termLines);
}

/** The beginning of an item of a list. */
const bullet = String.raw`.IP \(bu 2`;

function headingLine(heading: string, level: number): string {
  return level === 1 ? request("SH", heading.toUpperCase()) : request("SS", heading);
}

/** Returns `blocks` below a heading, made by the macro `name`. */
export function roffSection(
  name: "SH" | "SS",
  heading: string,
  blocks: readonly Block[],
): readonly string[] {
  return roffBlocks([{ heading, level: name === "SH" ? 1 : 2 }, ...blocks]);
}

/** Returns text with `code` between backticks as a line of roff. */
function paragraph(text: string): string {
  const parts = text.split(/`([^`]*)`/);
  return textLine(
    parts.map((part, place) => (place % 2 === 1 ? bold(part) : roffText(part))).join(""),
  );
}

function termLines([term, meaning]: Term): readonly string[] {
  return [".TP", termLine(term), paragraph(meaning)];
}

/** Returns a flag, variable or code in bold, and its placeholder in italics. */
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
