import type { Block, Term } from "../blocks.ts";

// The language of man(7) rather than mdoc(7): groff, mandoc and whatever else shows man pages all read
// it, and the meaning that mdoc's macros would add is in no definition.

/** What roff would read as something else, and what no ASCII terminal could show otherwise. */
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
 * `text`, which has no line ends, so that groff and mandoc show it letter for letter: as part of a text
 * line, or between the double quotes of a macro's argument. A hyphen stays one that can be pasted
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

/** `escaped` as a line of text, also where it begins like a request. */
function textLine(escaped: string): string {
  return escaped.startsWith(".") ? String.raw`\&${escaped}` : escaped;
}

export const bold = (text: string): string => String.raw`\fB${roffText(text)}\fR`;
const italic = (text: string): string => String.raw`\fI${roffText(text)}\fR`;

/** A request with its arguments, each in quotes. */
export function request(name: string, ...words: readonly string[]): string {
  return [`.${name}`, ...words.map((word) => `"${roffText(word)}"`)].join(" ");
}

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
