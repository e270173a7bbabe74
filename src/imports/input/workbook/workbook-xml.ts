import { Parser } from "saxen";
import { damagedFault, WorkbookFault } from "./workbook-parts.ts";

/** The places of all cells together that a workbook may span, empty ones too: the library makes a grid of each sheet. */
const maxCells = 10_000_000;
/** What Excel can have. */
const maxRows = 1_048_576;
const maxColumns = 16_384;
/** More makes the library slow; no workbook has it. */
const maxNames = 2000;
const maxFormats = 5000;
const maxFormatLength = 1000;
const maxDepth = 1000;
/** The length of one tag or text; that of a cell has 32,767 characters, which may be written as references. */
const maxToken = 256 * 1024;

/** Returns XML with what the library does not read written otherwise: CDATA, characters beyond U+FFFF, dates as texts. */
export function plainXml(xml: string): string {
  let plain = withoutCdata(xml);
  if (plain.includes("&#"))
    plain = plain.replaceAll(/&#(?:x([0-9a-f]{5,6})|(\d{5,7}));/gi, (all, hex, decimal) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0xffff && code <= 0x10ffff ? String.fromCodePoint(code) : all;
    });
  // A date without a zone would be one of this machine's.
  return plain.includes('t="d"') ? plain.replaceAll(zonelessDate, "$&Z") : plain;
}

const zonelessDate = /<c [^<>]{0,99}t="d"[^<>]{0,99}><v>[\d-]{1,20}T[\d:.]{1,20}(?=<\/v>)/g;

function withoutCdata(xml: string): string {
  const [open, close] = ["<![CDATA[", "]]>"];
  let plain = "";
  let place = 0;
  for (;;) {
    const start = xml.indexOf(open, place);
    const end = start < 0 ? -1 : xml.indexOf(close, start);
    if (end < 0) return plain + xml.slice(place);
    const text = xml.slice(start + open.length, end);
    plain += xml.slice(place, start) + text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    place = end + close.length;
  }
}

/** Where the cells of a file are, so far, and whether it is a sheet. */
const noCells = () => ({ row: 0, lastRow: 0, column: 0, lastColumn: 0, isSheet: false });
type Grid = ReturnType<typeof noCells>;

/** Keeps from the library what it would read without bounds, or fail at where nothing catches it. */
export class XmlCheck {
  readonly #sheets = new Set<string>();
  readonly #targets = new Set<string>();
  #cells = 0;
  #names = 0;
  #formats = 0;

  /** Adds a file of a workbook. Throws a WorkbookFault if those so far are not to be read. */
  add(name: string, xml: string): void {
    assertShort(xml);
    const grid = noCells();
    const parser = new Parser();
    let depth = 0;
    parser.on("closeTag", () => {
      depth -= 1;
    });
    parser.on("openTag", (element, values, decode, isEmpty) => {
      depth += 1;
      if (depth > maxDepth) refuse();
      const tag = localName(element);
      const attributes = Object.entries(values());
      this.#count(tag, attributes);
      // With any prefix, as the library reads them.
      const valuesOf = (wanted: string): readonly string[] =>
        attributes.flatMap(([key, value]) => (localName(key) === wanted ? [decode(value)] : []));
      if (tag === "row" || tag === "c") move(grid, tag, valuesOf("r"));
      if (tag === "Relationship" && valuesOf("Type").some((type) => type.endsWith("/worksheet")))
        for (const target of valuesOf("Target")) this.#targets.add(target);
      if (tag === "sheetData") grid.isSheet = true;
      if (isEmpty || (tag !== "v" && tag !== "is")) return;
      grid.lastRow = Math.max(grid.lastRow, grid.row);
      grid.lastColumn = Math.max(grid.lastColumn, grid.column);
    });
    parser.on("comment", assertFits).on("question", assertFits);
    // There is no document type in a workbook, so that nothing is expanded.
    parser.on("attention", refuse).on("warn", refuse).on("error", refuse);
    parser.parse(xml);
    if (grid.isSheet) this.#sheets.add(name);
    this.#cells += grid.lastRow * grid.lastColumn;
    if (this.#cells > maxCells) throw farFault(grid);
  }

  /** Throws a WorkbookFault if a sheet has no place for data: the library rejects it when another may have failed. */
  end(): void {
    for (const target of this.#targets)
      if (!this.#sheets.has(target.startsWith("/") ? target.slice(1) : `xl/${target}`)) refuse();
  }

  #count(tag: string, attributes: readonly (readonly [name: string, value: string])[]): void {
    if (tag === "sheet" || tag === "Relationship") this.#names += 1;
    if (tag === "numFmt") this.#formats += 1;
    const size = attributes.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
    const isTooMany = this.#names > maxNames || this.#formats > maxFormats;
    if (isTooMany || size > (tag === "numFmt" ? maxFormatLength : maxToken)) refuse();
  }
}

function refuse(): never {
  throw damagedFault();
}

function assertFits(text: string): void {
  if (text.length > maxToken) refuse();
}

/** Goes to the place that a row or a cell has. */
function move(grid: Grid, tag: "row" | "c", places: readonly string[]): void {
  const pattern = tag === "c" ? /^([A-Z]{1,3})(\d{1,7})$/ : /^()(\d{1,7})$/;
  for (const place of places) {
    const [, letters = "", digits = ""] = pattern.exec(place) ?? [];
    grid.row = Math.max(grid.row, Number(digits));
    grid.column = columnOf(letters);
    if (digits === "" || grid.row > maxRows || grid.column > maxColumns) refuse();
  }
}

const columnOf = (letters: string): number =>
  letters.split("").reduce((sum, letter) => sum * 26 + Number.parseInt(letter, 36) - 9, 0);

/** Throws if there is a long way from a tag to the next: what is one token would be read again for each piece of it. */
function assertShort(xml: string): void {
  for (let at = xml.indexOf("<"); at >= 0;) {
    const next = xml.indexOf("<", at + 1);
    if ((next < 0 ? xml.length : next) - at > maxToken) refuse();
    at = next;
  }
}

/** Returns a name without its prefix. */
const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

function columnName(column: number): string {
  const letter = String.fromCodePoint(65 + ((column - 1) % 26));
  return column > 26 ? columnName(Math.floor((column - 1) / 26)) + letter : letter;
}

function farFault({ lastRow, lastColumn }: Grid): WorkbookFault {
  const corner = `${columnName(lastColumn)}${lastRow}`;
  return new WorkbookFault(
    `has cells up to ${corner}, more than can be read; clear those far from the animals, or save it as CSV UTF-8`,
  );
}
