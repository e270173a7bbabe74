import { looksLikeTotal, standsForNothing } from "../../core/csv.ts";
import type { RowPlace } from "../../core/format.ts";
import type { NewPetField } from "../../core/pet-fields.ts";
import type { NewPet } from "../../core/pet.ts";
import type {
  Cells,
  Column,
  ColumnFacts,
  Header,
  InputFormat,
  InputRecord,
  RowFacts,
  TableRecord,
  TextFault,
} from "../types.ts";
import {
  columnKey,
  faultOfResults,
  fieldNamed,
  fieldOfColumn,
  isFieldName,
  isText,
  isUnderstood,
  isValue,
  normalize,
  quote,
  readHeader,
  widthOfResults,
  type RowOptions,
} from "./columns.ts";
import { addValue, maxCounted, maxSample, newColumn } from "./facts.ts";
import { faultRecord, rowAt } from "./fault-words.ts";
import { Rereadable } from "./rereadable.ts";
import { namedIn, parseCell, parseRow, stillWrong, trimBlanks } from "./row.ts";
import type { InputText } from "./text.ts";

/** Returns whether a cell is what others write without quotes: no blanks around it count, and it may stand for nothing. */
export const isBare = (format: InputFormat, quoted: TableRecord["quoted"], at: number): boolean =>
  (format === "csv" || format === "xlsx") && quoted?.[at] !== true;

/** Returns whether a bare cell stands for nothing. */
export const isNull = (cell: string): boolean => standsForNothing(trimBlanks(cell));

/** Returns whether a cell of a row stands for nothing. */
const isNullCell = (
  format: InputFormat,
  cells: Cells,
  at: number,
  quoted: TableRecord["quoted"],
): boolean => isBare(format, quoted, at) && isNull(cells[at] ?? "");

/** Returns whether a row has nothing but blanks and rulers, such as `---`. */
export const isNothing = (cells: Cells): boolean =>
  cells.every((cell) => /^[-=+|:\s]*$/.test(cell));

/**
 * Yields the rows of a table, without empty ones, rulers and repeated headers, and undefined for each that is only looked
 * at because the header is not understood. Notes the columns as the shape of `text`.
 */
export function* readTable(
  text: InputText,
  source: Iterable<TableRecord>,
  options: RowOptions,
  format: InputFormat,
): Generator<InputRecord | undefined> {
  const records = new Rereadable(withoutRulers(source, text));
  const top = records.take(maxTop, maxTopLength, ({ cells }) => cells.join().length);
  const hasHeader = options.header !== false;
  const titles = hasHeader && format !== "json" ? titlesIn(top, options) : 0;
  const [first, ...others] = top.slice(titles);
  if (first === undefined) {
    if (format !== "json") yield faultRecord({ line: 1 }, emptyFault(options));
    return;
  }
  const header = readHeader(
    first.cells,
    options,
    others.map(({ cells }) => cells),
  );
  const isData = header.kind === "data" || !hasHeader;
  const rows = isData ? [first, ...others] : others;
  const isHeader = ({ cells, fault }: TableRecord): boolean =>
    !isData && fault === undefined && isSame(cells, first.cells);
  // What results say of a row is nothing that it has.
  const width = widthOfResults(first.cells);
  const valuesOf = ({ cells, quoted }: TableRecord): Cells =>
    cells.slice(0, width).map((cell, at) => (isNullCell(format, cells, at, quoted) ? "" : cell));
  records.putBack(rows);
  const usual = usualOf(header.columns, rows.filter((row) => !isHeader(row)).map(valuesOf));
  const wrong = faultOf(first, usual, options);
  if (wrong !== undefined) {
    yield faultRecord(first, wrong);
    return;
  }
  if (titles > 0 || !isUnderstood(header)) {
    const seen = { survey: surveyed(header, isData), headings: new Array<RowPlace>() };
    for (const record of records) {
      if (isHeader(record)) continue;
      // What is wrong with the text itself may be why nothing is understood.
      if (record.fault?.fatal !== undefined) {
        yield faultRecord(record, record.fault);
        return;
      }
      lookAt(seen, record, valuesOf(record), usual);
      yield undefined;
    }
    const sample = [first, ...others].slice(0, maxSample).map(({ cells }) => cells);
    const titleLines = titles > 0 ? first.line - 1 : 0;
    const kind = sureKind(header.kind, titles > 0, format);
    yield faultRecord(top[0] ?? first, { ...header, ...seen, kind, titleLines, sample });
    return;
  }
  const { columns } = header;
  text.shape = {
    ...text.shape,
    columns: columns.map(({ name, title }) => (hasHeader ? title : name)),
    lineEnd: first.end || "\n",
  };
  const keyAt = columns.findIndex(({ isKey }) => isKey);
  const keys = width === undefined ? [] : first.cells.map(columnKey);
  const [outcomeAt, errorAt] = [keys.lastIndexOf("outcome"), keys.lastIndexOf("error")];
  let index = 0;
  for (const record of records) {
    const { line, row, textLine, cells, quoted } = record;
    if (isHeader(record)) {
      text.hasOtherRows = true;
      continue;
    }
    const pet = record.fault ?? petOf(record, columns, options, format);
    const isLabel = isBare(format, quoted, usual.nameAt);
    const animal = withoutTotals(pet, isLabel, () => valuesOf(record), usual, options);
    const found = stillWrong(animal, cells[outcomeAt], cells[errorAt]);
    const key = isNullCell(format, cells, keyAt, quoted) ? "" : trimBlanks(cells[keyAt] ?? "");
    const read = rowAt(index, { line, row, textLine }, found, keyAt < 0 ? undefined : key);
    yield { read, original: cells, quoted };
    index += 1;
  }
}

function emptyFault({ skipLines = 0, sheet }: RowOptions): TextFault {
  const where = sheet === undefined ? "is empty" : `has no rows on the sheet ${quote(sheet)}`;
  const message = skipLines > 0 ? `has no lines after --skip-lines ${skipLines}` : where;
  return { message, fatal: "file" };
}

/** Returns why no row of a table is read, by its first one. */
function faultOf({ fault, cells }: TableRecord, usual: Usual, options: RowOptions) {
  if (fault !== undefined) return { fatal: "content", ...fault } as const;
  if (usual.isTurned) return turned;
  return widthOfResults(cells) !== undefined ? faultOfResults(options, cells) : undefined;
}

const turned: TextFault = {
  message: "has its animals in columns, not in rows; transpose the table, and save it again",
  fatal: "file",
};

/** Returns what a first row is: titles come above a header, and no header of CSV is one that only seems to be quoted. */
const sureKind = (kind: Header["kind"], hasTitles: boolean, format: InputFormat) =>
  (hasTitles && kind === "unsure") || (format !== "tsv" && kind === "quoted") ? "header" : kind;

/** Adds a row whose columns are not understood to what is seen of them. */
function lookAt(
  { survey, headings }: { survey: readonly ColumnFacts[]; headings: RowPlace[] },
  { line }: TableRecord,
  values: Cells,
  usual: Usual,
): void {
  if (isLone(values, usual)) {
    if (headings.length < maxTop) headings.push({ line, name: values.find(isText) ?? "" });
  } else
    for (const [at, column] of survey.slice(0, values.length).entries())
      addValue(column, values[at] ?? "", at < maxCounted);
}

const maxTitles = 10;

/** Returns how many of the first rows are titles above a header. */
function titlesIn(top: readonly TableRecord[], { columnMap }: RowOptions): number {
  const rows = top.slice(0, maxTitles + 1).map(({ cells }) => ({
    cells,
    isKnown:
      widthOfResults(cells) !== undefined ||
      cells.some((cell) => isFieldName(cell) || columnMap.has(columnKey(cell))),
    filled: cells.filter(isFilled).length,
  }));
  const [first] = rows;
  const isTitle = first?.isKnown === false;
  const header = rows.findIndex(
    ({ isKnown, filled, cells }, at) =>
      at > 0 && isTitle && (isKnown || (first.filled === 1 && filled > 1 && !cells.some(isValue))),
  );
  return Math.max(0, header);
}

/** Returns whether a row is the header once more, as in files that were joined. */
const isSame = (cells: Cells, header: Cells): boolean =>
  cells.every((cell, at) => isSameTitle(cell, header[at] ?? ""));

// Few begin alike, and all rows are compared.
const isSameTitle = (cell: string, title: string): boolean =>
  cell.trimStart().charAt(0).toLowerCase() === title.trimStart().charAt(0).toLowerCase() &&
  columnKey(cell) === columnKey(title);

function* withoutRulers(records: Iterable<TableRecord>, text: InputText): Generator<TableRecord> {
  for (const record of records)
    if (record.fault !== undefined || !isNothing(record.cells)) yield record;
    else text.hasOtherRows ||= record.cells.some(isFilled);
}

const maxTop = 100;
const maxTopLength = 256 * 1024;

/** Returns the columns of a header that is not understood, or those of rows without one, to be looked at. */
const surveyed = ({ columns }: Header, isData: boolean): readonly ColumnFacts[] =>
  columns.map(({ name, title, field }, at) => {
    const place = `#${at + 1}`;
    return isData ? newColumn(place, place, field) : newColumn(name, title || place, field);
  });

/** Returns the animal of a row, or what is wrong with it; without blanks around the cells of fields. */
function petOf(
  { cells, quoted }: TableRecord,
  columns: readonly Column[],
  options: RowOptions,
  format: InputFormat,
): NewPet | TextFault | RowFacts {
  const { valueMap } = options;
  const [only = ""] = cells;
  if (cells.length < 2 && columns.length > 1 && quoted?.[0] === true && /[,;\t|]/.test(only))
    return { message: "the whole line is in quotes; quote each value by itself" };
  const fields: Record<string, unknown> = {};
  for (let at = 0; at < cells.length; at += 1) {
    const cell = cells[at] ?? "";
    const column = columns[at];
    const field = column?.field;
    if (field !== undefined) {
      const own = isBare(format, quoted, at) ? trimBlanks(cell) : cell;
      cells[at] = own;
      const isNone = isNullCell(format, cells, at, quoted) && !namedIn(valueMap.get(field), own);
      fields[field] = isNone ? undefined : parseCell(field, own);
    } else if (cell !== "" && !column?.isIgnored && !column?.isKey && trimBlanks(cell) !== "")
      return {
        message: `value in column #${at + 1}, which has no name; quote values that contain a separator`,
        ...(column && { cure: [["--ignore-fields"]] }),
      };
  }
  return parseRow(fields, options);
}

/** What the rows of a table usually have. */
type Usual = ReturnType<typeof usualOf>;

function usualOf(columns: readonly Column[], rows: readonly Cells[]) {
  const share = (at: number, isCounted: (cell: string) => boolean): number =>
    rows.filter((cells) => isCounted(cells[at] ?? "")).length / rows.length;
  const places = columns.map((_column, at) => at);
  const placeOf = (wanted: NewPetField) => columns.findIndex(({ field }) => field === wanted);
  const [nameAt, categoryAt] = [placeOf("name"), placeOf("categoryId")];
  const hasOwn = fieldOfColumn(columns[categoryAt]?.title ?? "") !== undefined;
  // A row with several is another header.
  const titled = rows.filter((cells) => cells.filter(isFieldName).length === 1);
  const names = [columns[nameAt]?.title ?? "", ...titled.map((cells) => cells[nameAt] ?? "")];
  const fields = names.flatMap((name) => fieldNamed(name) ?? []);
  return {
    nameAt,
    categoryAt,
    statusAt: placeOf("status"),
    /** Whether many names are those of several fields: the animals are in columns. An animal may be called Nom. */
    isTurned: !hasOwn && new Set(fields).size > 1 && fields.length * 3 > rows.length,
    /** In how many columns most rows have anything, and a text. */
    filled: places.filter((at) => share(at, isFilled) >= 0.5).length,
    texts: places.filter((at) => share(at, isText) >= 0.5).length,
    /** In how many columns one of them has anything. */
    most: Math.max(...rows.map((cells) => cells.filter(isFilled).length)),
    /** Whether most have a word as category. */
    hasWords: share(categoryAt, isText) > 0.5,
    /** The categories that come again, without regard to case. */
    again: repeatedIn(rows.map((cells) => normalize(cells[categoryAt] ?? ""))),
  };
}

function repeatedIn(words: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(words.filter((word) => seen.size === seen.add(word).size));
}

const isFilled = (cell: string): boolean => cell.trim() !== "";

/** Returns whether a row has text in one column alone, of several that others have: a heading, or a total. */
function isLone(cells: Cells, { filled, texts, again, statusAt, categoryAt }: Usual): boolean {
  // Names of columns, in other words or another order.
  if (cells.filter(isFieldName).length > 1) return true;
  const [at, ...others] = cells.flatMap((cell, place) => (isText(cell) ? [place] : []));
  if (at === undefined || others.length > 0) return false;
  if (looksLikeTotal((cells[at] ?? "").trim())) return true;
  // An animal without a name has a category beside its status.
  if (at === statusAt && isFilled(cells[categoryAt] ?? "")) return false;
  // A kind that comes again is that of an animal without a name.
  if (at === categoryAt && again.has(normalize(cells[at] ?? ""))) return false;
  const own = cells.filter(isFilled).length;
  return own < filled && (texts > 1 || own === 1);
}

/**
 * Marks a row that looks like a heading or a total. One with a number where others have a word is no animal, nor is a
 * total that lacks what others have, if its name is a label: without quotes.
 */
function withoutTotals(
  found: NewPet | TextFault | RowFacts,
  isLabel: boolean,
  valuesOf: () => Cells,
  usual: Usual,
  options: RowOptions,
): NewPet | TextFault | RowFacts {
  if ("message" in found) return found;
  if ("wrong" in found) return isLone(valuesOf(), usual) ? { ...found, isLone: true } : found;
  const isTotal = looksLikeTotal(found.name);
  if (!isLabel || !(isTotal || usual.hasWords)) return found;
  return isHeading(valuesOf(), isTotal, usual, options)
    ? { unknown: new Map(), missing: [], wrong: new Map(), name: found.name, isLone: true }
    : found;
}

/** Returns whether a row that may be an animal is rather a heading or a total. */
function isHeading(
  cells: Cells,
  isTotal: boolean,
  usual: Usual,
  { valueMap }: RowOptions,
): boolean {
  const category = cells[usual.categoryAt] ?? "";
  const filled = cells.filter(isFilled).length;
  // A default that was typed counts, and so does what a text means, unless it is one of all others.
  if (!isFilled(category)) return isTotal && filled < usual.most;
  if (isText(category))
    return !namedIn(valueMap.get("categoryId"), category) && isLone(cells, usual);
  const isLess = usual.hasWords || usual.filled < 3 || filled < usual.filled;
  return (isTotal && isLess) || (usual.hasWords && isLone(cells, usual));
}
