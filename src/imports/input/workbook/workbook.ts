import { zipSync } from "fflate";
import readXlsxFile, { InvalidSpreadsheetError } from "read-excel-file/universal";
import { closeMatch } from "../../../core/strings.ts";
import type { TableRecord } from "../../types.ts";
import { normalize, quote } from "../columns.ts";
import { listOf } from "../fault-words.ts";
import {
  damagedFault,
  maxBytes,
  tooLargeFault,
  unpackParts,
  WorkbookFault,
} from "./workbook-parts.ts";
import { plainXml, XmlCheck } from "./workbook-xml.ts";

export { maxBytes };

/** What the texts of a sheet may have together, in UTF-16 units. */
const maxText = maxBytes;

/** A sheet with the rows that are not empty, by their numbers from 1, and the names of the others that have rows. */
export interface Workbook {
  readonly name: string;
  readonly rows: readonly Pick<TableRecord, "line" | "cells">[];
  readonly others: readonly string[];
}

type Sheet = Omit<Workbook, "others">;

/** Returns the first sheet of an .xlsx file that has rows, or the one that is called `sheet`. */
export async function readWorkbook(bytes: Buffer, sheet?: string): Promise<Workbook> {
  return chosenSheet(await readSheets(bytes), sheet);
}

/** Returns the fault for an error; an unexpected one comes from a file that no program wrote. */
export function faultOf(error: unknown): WorkbookFault {
  if (error instanceof WorkbookFault) return error;
  // The library goes deeper for each piece of a sheet, and makes smaller ones where it is slow.
  if (error instanceof RangeError || (error instanceof Error && error.cause instanceof RangeError))
    return new WorkbookFault(
      "is too large to be read; save the sheet with the animals as CSV UTF-8, or split it",
    );
  const text = error instanceof InvalidSpreadsheetError ? error.message : "";
  const [, row, column] = /at row (\d+), col (\d+):/.exec(text) ?? [];
  if (row === undefined) return damagedFault();
  return new WorkbookFault(
    `has a cell that cannot be read (row ${row}, column ${column}); correct it, or save the sheet as CSV UTF-8`,
  );
}

/** Returns all sheets, as the library reads them from what was checked: without compression, so that it unpacks nothing. */
async function readSheets(bytes: Buffer): Promise<readonly Sheet[]> {
  const strict = new TextDecoder("utf-8", { fatal: true });
  const xmlCheck = new XmlCheck();
  const checked: Record<string, Uint8Array> = {};
  for (const [name, part] of unpackParts(bytes)) {
    const xml = strict.decode(part);
    const plain = plainXml(xml);
    xmlCheck.add(name, plain);
    checked[name] = plain === xml ? part : Buffer.from(plain);
  }
  xmlCheck.end();
  const { buffer } = zipSync(checked, { level: 0 });
  const sheets = await readXlsxFile(buffer, { trim: false, parseNumber: numberText });
  const tags = strict.decode(checked["xl/workbook.xml"]).match(/<(?:\w+:)?sheet\s[^<>]*>/g) ?? [];
  const isHidden = (at: number): boolean => /\sstate="(?:hidden|veryHidden)"/.test(tags[at] ?? "");
  const all = sheets.map(({ sheet: name, data }) => ({ name, rows: rowsOf(data) }));
  // Hidden sheets are read last.
  return [...all.filter((_, at) => !isHidden(at)), ...all.filter((_, at) => isHidden(at))];
}

/** Returns the rows that are not empty; none of a chart on a sheet of its own, which has no data. */
function rowsOf(grid: readonly (readonly unknown[])[] = []): Sheet["rows"] {
  let length = 0;
  return grid.flatMap((values, at) => {
    const cells = values.map(cellText);
    for (const cell of cells) length += cell.length;
    // Cells may share one long text.
    if (length > maxText) throw tooLargeFault();
    return cells.some((cell) => cell.trim() !== "") ? [{ line: at + 1, cells }] : [];
  });
}

function cellText(value: unknown): string {
  if (value instanceof Date) return dateText(value);
  return typeof value === "string" ? value : value === null ? "" : String(value === true);
}

/** Returns a date and, unless it is midnight, the time, to the second: days are fractions in a workbook. */
function dateText(date: Date): string {
  const seconds = Math.round(date.getTime() / 1000);
  if (Number.isNaN(seconds)) return "";
  return new Date(seconds * 1000).toISOString().replace(/(?:T00:00:00|:00)?\.000Z$/, "");
}

/** The digits that a spreadsheet keeps. */
const maxDigits = 15;

/** Returns a number with the digits that a spreadsheet shows; one that has lost some as it saves them in CSV (1.5E+17). */
function numberText(raw: string): string {
  if (!/^-?\d+(?:\.\d+)?(?:E[-+]?\d+)?$/i.test(raw.trim())) return raw.trim();
  const number = Number(Number(raw).toPrecision(maxDigits));
  if (!Number.isFinite(number)) return raw.trim();
  if (Math.abs(number) < 10 ** maxDigits) return String(number);
  return number.toExponential().replace("e", "E");
}

const maxNamed = 10;

/** Case and blanks around a name don't count, as no two sheets differ by case alone. */
const plain = (text: string): string => normalize(text.normalize("NFC"));

function chosenSheet(sheets: readonly Sheet[], name: string | undefined): Workbook {
  const filled = sheets.filter(({ rows }) => rows.length > 0);
  const chosen =
    name === undefined
      ? (filled[0] ?? sheets[0])
      : (sheets.find((sheet) => sheet.name === name) ??
        sheets.find((sheet) => plain(sheet.name) === plain(name)));
  if (chosen === undefined) throw name === undefined ? damagedFault() : unknownSheet(name, filled);
  const others = filled.filter((sheet) => sheet !== chosen);
  return { ...chosen, others: others.map((sheet) => sheet.name) };
}

function unknownSheet(name: string, filled: readonly Sheet[]): WorkbookFault {
  const names = filled.map((sheet) => sheet.name);
  const what = names.length === 1 ? "its sheet is" : "its sheets are";
  const known =
    names.length === 0 ? "no sheet has rows" : `${what} ${listOf(names.map(quote), maxNamed)}`;
  const meant = closeMatch(name, names);
  const guess = meant === undefined ? "" : `; did you mean ${quote(meant)}?`;
  return new WorkbookFault(`has no sheet ${quote(name)}; ${known}${guess}`);
}
