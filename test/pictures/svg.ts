import { type Line, type Run, runsOf, type Style } from "./cells.ts";

/** What a picture is called, and what it shows, for those who can't see it. */
export interface Words {
  readonly title: string;
  readonly description: string;
}

/** The content of the window of a picture, and the styles that it needs. */
export interface Content extends Words {
  readonly columns: number;
  readonly rows: number;
  readonly body: string;
  readonly css?: string;
}

/** In whole units of the picture: a character is 0.6 times as wide as its font size. */
const font = { size: 10, width: 6, line: 14, base: 11 } as const;
const frame = { top: 22, side: 13, bottom: 12 } as const;
/** Pixels per unit. */
const scale = 1.4;
const shades = { paper: "#161b22", edge: "#3d444d", button: "#30363d", ink: "#e6edf3" } as const;

/** The 16 colours of the terminal, on its dark background: the normal ones, then the bright ones. */
const colors = [
  ["#6e7681", "#ff7b72", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#b1bac4"],
  ["#8b949e", "#ffa198", "#7ee787", "#f2cc60", "#a5d6ff", "#e2c5ff", "#8be9f0", "#f0f6fc"],
].flat();

/** Returns a terminal window that shows `body`, clipped to the window. */
export function windowSvg({ title, description, columns, rows, body, css = "" }: Content): string {
  const [innerWidth, innerHeight] = [columns * font.width, rows * font.line];
  const width = innerWidth + 2 * frame.side;
  const height = frame.top + innerHeight + frame.bottom;
  const size = `width="${pixels(width)}" height="${pixels(height)}" viewBox="0 0 ${width} ${height}"`;
  const circles = [0, 1, 2].map((i) => `<circle cx="${frame.side + 4 + i * 13}" cy="12" r="3.5"/>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-labelledby="t d">
<title id="t">${escapeXml(title)}</title>
<desc id="d">${escapeXml(description)}</desc>
<style>
text{white-space:pre;font:${font.size}px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:${shades.ink}}
${css}</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="6" fill="${shades.paper}" stroke="${shades.edge}"/>
<g fill="${shades.button}">${circles.join("")}</g>
<svg x="${frame.side}" y="${frame.top}" width="${innerWidth}" height="${innerHeight}" xml:space="preserve">
${body}</svg>
</svg>
`;
}

const pixels = (units: number): number => Math.round(units * scale);

/** Returns the vertical position of a line, in units. */
export const heightOf = (rows: number): number => rows * font.line;

/** Returns the `<text>` of a line, followed by a line end; nothing for an empty line. */
export function lineMarkup(line: Line, row: number, attributes = ""): string {
  const spans = runsOf(line).map(runMarkup).join("");
  return spans === ""
    ? ""
    : `<text y="${heightOf(row) + font.base}"${attributes}>${spans}</text>\n`;
}

/** Up to this many columns, the possible fonts differ by less than a character. */
const mostWithoutLength = 12;

function runMarkup({ text, column, columns, style }: Run): string {
  const isShort = columns <= mostWithoutLength || text.trimEnd().length <= mostWithoutLength / 2;
  const attributes = [
    column === 0 ? "" : ` x="${column * font.width}"`,
    isShort ? "" : ` textLength="${columns * font.width}"`,
    styleMarkup(style),
  ].join("");
  return attributes === "" ? escapeXml(text) : `<tspan${attributes}>${escapeXml(text)}</tspan>`;
}

function styleMarkup({ color, bold, dim, italic, underline }: Style): string {
  const attributes = {
    fill: color === undefined ? undefined : colors[color],
    "font-weight": bold ? "bold" : undefined,
    "fill-opacity": dim ? ".6" : undefined,
    "font-style": italic ? "italic" : undefined,
    "text-decoration": underline ? "underline" : undefined,
  };
  return Object.entries(attributes)
    .flatMap(([name, value]) => (value === undefined ? [] : ` ${name}="${value}"`))
    .join("");
}

const entities: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  '"': "&quot;",
  "'": "&#39;",
};
// Some of these are not allowed in XML, and none is visible (XML 1.0, section 2.2).
const unseen = /[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g;

/** Returns `text` escaped for XML; what can't be written there becomes U+FFFD. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(unseen, "\ufffd")
    .replace(/[<>&"']/g, (sign) => entities[sign] ?? sign);
}
