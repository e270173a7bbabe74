import { strToU8, zipSync } from "fflate";

/** A cell: a text, a number, a boolean, a date or a time of UTC, none, or the XML of one, with `@` for its place. */
export type TestCell = string | number | boolean | Date | null | { readonly raw: string };

/** A sheet; a row without cells is left out of its XML, and the next one keeps its number. */
export interface TestSheet {
  readonly name: string;
  readonly rows: readonly (readonly TestCell[])[];
}

const office = "http://schemas.openxmlformats.org";
const main = `${office}/spreadsheetml/2006/main`;
const relation = `${office}/officeDocument/2006/relationships`;
const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const dayMs = 86_400_000;

function placeOf(row: number, column: number): string {
  const first = Math.floor(column / 26);
  const letters = `${first > 0 ? String.fromCodePoint(64 + first) : ""}${String.fromCodePoint(65 + (column % 26))}`;
  return `${letters}${row + 1}`;
}

/** Returns an .xlsx file as Excel writes one: with shared strings, a style of dates (1) and one of times (2). */
export const workbookOf = (sheets: readonly TestSheet[]): Buffer => zipOf(workbookParts(sheets));

/** Returns a ZIP archive of files with these texts or bytes. */
export function zipOf(parts: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const entries = Object.entries(parts).map(([name, part]) => [
    name,
    typeof part === "string" ? strToU8(part) : part,
  ]);
  return Buffer.from(zipSync(Object.fromEntries(entries)));
}

/** Returns the files in a workbook, by name. */
export function workbookParts(sheets: readonly TestSheet[]): Record<string, string> {
  const strings = new Map<string, number>();
  const parts = Object.fromEntries(
    sheets.map(({ rows }, index) => [
      `xl/worksheets/sheet${index + 1}.xml`,
      sheetXml(rows.map((cells, row) => rowXml(cells, row, strings)).join("")),
    ]),
  );
  return {
    "[Content_Types].xml": contentTypes(sheets.length),
    "_rels/.rels": relations([["officeDocument", "xl/workbook.xml"]]),
    "xl/workbook.xml": `${head}<workbook xmlns="${main}" xmlns:r="${relation}"><sheets>${sheets
      .map(
        ({ name }, at) =>
          `<sheet name="${escapeXml(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`,
      )
      .join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relations([
      ...sheets.map((_, at): [string, string] => ["worksheet", `worksheets/sheet${at + 1}.xml`]),
      ["styles", "styles.xml"],
      ["sharedStrings", "sharedStrings.xml"],
    ]),
    "xl/styles.xml": styles,
    "xl/sharedStrings.xml": `${head}<sst xmlns="${main}">${[...strings.keys()]
      .map((text) => `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`)
      .join("")}</sst>`,
    ...parts,
  };
}

/** Returns the XML of a sheet with these rows. */
export const sheetXml = (rows: string): string =>
  `${head}<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`;

function rowXml(cells: readonly TestCell[], row: number, strings: Map<string, number>): string {
  if (cells.length === 0) return "";
  const xml = cells.map((cell, column) => cellXml(cell, placeOf(row, column), strings));
  return `<row r="${row + 1}">${xml.join("")}</row>`;
}

function cellXml(cell: TestCell, place: string, strings: Map<string, number>): string {
  if (cell === null) return "";
  if (typeof cell === "string") {
    const at = strings.get(cell) ?? strings.size;
    strings.set(cell, at);
    return `<c r="${place}" t="s"><v>${at}</v></c>`;
  }
  if (typeof cell === "boolean") return `<c r="${place}" t="b"><v>${Number(cell)}</v></c>`;
  if (typeof cell === "number") return `<c r="${place}"><v>${cell}</v></c>`;
  if (!(cell instanceof Date)) return cell.raw.replace("@", place);
  const days = cell.getTime() / dayMs + 25_569;
  return `<c r="${place}" s="${Number.isInteger(days) ? 1 : 2}"><v>${days}</v></c>`;
}

const relations = (targets: readonly (readonly [type: string, target: string])[]): string =>
  `${head}<Relationships xmlns="${office}/package/2006/relationships">${targets
    .map(
      ([type, target], at) =>
        `<Relationship Id="rId${at + 1}" Type="${relation}/${type}" Target="${target}"/>`,
    )
    .join("")}</Relationships>`;

const kind = "application/vnd.openxmlformats-officedocument.spreadsheetml";

function contentTypes(count: number): string {
  const sheets = Array.from({ length: count }, (_, at) => [
    `worksheets/sheet${at + 1}`,
    "worksheet",
  ]);
  const overrides = [
    ["workbook", "sheet.main"],
    ["styles", "styles"],
    ["sharedStrings", "sharedStrings"],
    ...sheets,
  ];
  return `${head}<Types xmlns="${office}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${overrides
    .map(
      ([name, type]) => `<Override PartName="/xl/${name}.xml" ContentType="${kind}.${type}+xml"/>`,
    )
    .join("")}</Types>`;
}

const styles = `${head}<styleSheet xmlns="${main}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" xfId="0"/><xf numFmtId="14" xfId="0" applyNumberFormat="1"/><xf numFmtId="22" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`;
