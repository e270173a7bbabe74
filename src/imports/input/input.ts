import { createHash } from "node:crypto";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Failure, usageFailure } from "../../core/errors.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { type NewPetField, petFieldNames } from "../../core/pet-fields.ts";
import type { Stage } from "../database/stage.ts";
import type { Cells, InputFormat, InputRecord, ReadOptions, Row } from "../types.ts";
import { addChoices } from "./choices.ts";
import { addColumns, columnKey, faultOfResults, type RowOptions } from "./columns.ts";
import { readDelimited } from "./delimited.ts";
import { addFacts, addRepeatedKeys, InputFacts, maxListed } from "./facts.ts";
import { parseJson } from "./json/json-text.ts";
import { arrayRows, isArrayTable, readJson } from "./json/json.ts";
import { type InputFile, openFile } from "./open.ts";
import { addValues, isResultsRow, textOf } from "./row.ts";
import { readTable } from "./table.ts";
import { InputText, isUtf8, workbookStart } from "./text.ts";
import { openSheet, sheetRows } from "./workbook/sheet.ts";
import type { Workbook } from "./workbook/workbook.ts";

/** The rows of a file, to be checked and then sent. */
export type ImportInput = ReturnType<typeof inputOf>;

/** Opens the input at a path, or `-` for standard input. Rejects with a usage or an io Failure, or the reason of an aborted `signal`. */
export async function openInput(
  from: string,
  stdin: AsyncIterable<Uint8Array>,
  given: ReadOptions,
  signal: AbortSignal,
): Promise<ImportInput> {
  const { map = [], value = [], key, name, category, status } = given;
  const defaults: Record<NewPetField, unknown> = { name, categoryId: category, status };
  const hasDefaults = Object.values(defaults).some((each) => each !== undefined);
  const rowOptions = {
    columnMap: addColumns(new Map(), map),
    valueMap: addValues(new Map(), value),
    keyPath: key ? ({ flag: "--key", name: key, isFound: false } as const) : undefined,
    defaults: hasDefaults ? defaults : undefined,
  };
  const file = await openFile(from, stdin, signal);
  try {
    const reading = isResults(file) ? asWritten(given, file) : given;
    const encoding = new TextDecoder(reading.encoding).encoding;
    const options: RowOptions = { ...reading, ...rowOptions, encoding };
    const format =
      reading.format ??
      formatsByExtension[path.extname(from).toLowerCase()] ??
      formatByStart(file, reading);
    const text = () => new InputText(file.chunks(), options.encoding);
    const hasArrays = format === "json" && isArrayTable(text(), reading.items);
    assertFits(reading, format, hasArrays);
    const sheet = format === "xlsx" ? await openSheet(file, reading.sheet) : undefined;
    return inputOf(file, format, sheet, hasArrays, options, signal);
  } catch (error) {
    file.close();
    throw error;
  }
}

function inputOf(
  file: InputFile,
  format: InputFormat,
  sheet: Workbook | undefined,
  hasArrays: boolean,
  options: RowOptions,
  signal: AbortSignal,
) {
  const read = (text: InputText): Iterable<InputRecord | undefined> => {
    if (sheet) return readTable(text, sheetRows(sheet, text, options.skipLines), options, format);
    if (hasArrays) return readTable(text, arrayRows(text, options.items), options, format);
    return format === "csv" || format === "tsv"
      ? readDelimited(text, format, options)
      : readJson(text, format, options);
  };
  async function* records(): AsyncGenerator<readonly InputRecord[]> {
    const text = new InputText(file.chunks(), options.encoding);
    for await (const batch of inBatches(read(text), text)) {
      file.assertUnchanged();
      yield batch;
    }
  }
  async function* rows(): AsyncGenerator<readonly Row[]> {
    for await (const batch of records()) {
      const valid = batch.flatMap(({ read: row }) => ("pet" in row ? [row] : []));
      if (valid.length > 0) yield valid;
    }
  }
  async function rowsAt(numbers: readonly number[]): Promise<readonly Row[]> {
    const found: Row[] = [];
    for await (const batch of numbers.length > 0 ? rows() : []) {
      found.push(...batch.filter(({ index }) => numbers.includes(index)));
      if (found.length === numbers.length) break;
    }
    return found;
  }
  return {
    name: file.name,
    path: file.path,
    format,
    /** The sheets that have rows and are not read. */
    otherSheets: sheet?.others ?? [],
    sheet: sheet?.name,
    /** Returns whether the same options read its results, which have these titles. */
    isReadBy: (titles: Cells = []) => faultOfResults(options, titles) === undefined,
    /** Whether it is a copy of standard input or a pipe, which can be read only once. */
    isReadOnce: file.path === undefined,
    /** Returns the valid rows of these numbers, which ascend. */
    rowsAt,
    /** Reads all rows, in batches, adds them to a stage, which tells those that repeat a key, and returns their facts. */
    async check(stage: Partial<Stage> = {}) {
      const reading = readingOf(format, { ...options, ...(sheet && { sheet: sheet.name }) });
      const hash = createHash("sha256").update(stringifyExact(reading));
      const text = new InputText(file.chunks(hash), options.encoding);
      const facts = new InputFacts();
      if (sheet !== undefined) file.chunks(hash).forEach(() => {});
      for await (const batch of inBatches(read(text), text)) {
        signal.throwIfAborted();
        stage.add?.(batch.map((record) => record.read));
        for (const record of batch) addFacts(facts, record);
      }
      const repeated = stage.end?.(maxListed);
      if (repeated !== undefined)
        addRepeatedKeys(facts, repeated, await rowsAt(repeated.first.map(({ number }) => number)));
      await addChoices(facts, file, hasArrays ? undefined : format, options);
      // Earlier versions gave such rows a number.
      if (text.hasOtherRows) hash.update("passed over");
      // The hash is of its bytes and of how they are read, which say what its rows are.
      const { invalid } = facts;
      return { rows: facts.rows, invalid, facts, shape: text.shape, hash: hash.digest("hex") };
    },
    /** Yields the valid rows in batches. Rejects with an io Failure before the next one if the file has changed. */
    rows,
    /** Yields all records once more in batches, valid or not. Rejects with an io Failure if the file has changed. */
    records,
    close: () => file.close(),
  };
}

/** Returns the options that change what rows say, in one spelling: they belong to what an import is of. */
function readingOf(format: InputFormat, options: RowOptions): object {
  const { columnMap, valueMap, keyPath, header = true, encoding, ignoreFields, items } = options;
  const { skipLines, name, category, status, repeats, sheet } = options;
  const map = [...columnMap].map(([key, { field }]) => `${key}=${field}`).sort();
  const value = [...valueMap].flatMap(([field, { texts }]) =>
    [...texts].map(([text, each]) => `${field}:${text}=${textOf(each) ?? ""}`),
  );
  const reading = { format, map, value: value.sort(), header, encoding, ignoreFields, items };
  const key = keyPath && columnKey(keyPath.name);
  return { ...reading, skipLines, name, category, status, key, repeats, sheet };
}

/** An object of rows is looked at far ahead before the first one is read. */
const maxBatch = 1000;

/** Yields the records up to a fatal one, those of one chunk of the file at most; other work may go on between. */
async function* inBatches(records: Iterable<InputRecord | undefined>, text: InputText) {
  let batch: InputRecord[] = [];
  let { chunks } = text;
  for (const record of records) {
    if (record !== undefined) batch.push(record);
    if (record !== undefined && "fatal" in record.read) break;
    if (text.chunks === chunks && batch.length < maxBatch) continue;
    yield batch;
    batch = [];
    ({ chunks } = text);
    await setImmediate();
  }
  yield batch;
}

function assertFits(
  { header = true, skipLines, items, sheet, encoding }: ReadOptions,
  format: InputFormat,
  hasArrays: boolean,
): void {
  const needs = (flag: string, what: string, tried: string): Failure =>
    usageFailure(
      `${flag} needs ${what}, but the input is ${format}`,
      ...(tried ? [`Try it with \`--format ${tried}\`.`] : []),
    );
  const isJson = format.endsWith("json");
  if (isJson && !hasArrays && !header) throw needs("--no-header", "CSV or TSV", "");
  if (isJson && skipLines !== undefined) throw needs("--skip-lines", "CSV or TSV", "");
  if (items !== undefined && format !== "json") throw needs("--items", "JSON", "json");
  if (sheet !== undefined && format !== "xlsx") throw needs("--sheet", "a workbook", "");
  if (encoding !== undefined && format === "xlsx") throw needs("--encoding", "text", "");
}

/** The formats of files by how their names end; the workbooks that are not .xlsx are refused by what they are. */
export const formatsByExtension: Readonly<Record<string, InputFormat>> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".json": "json",
  ".csv": "csv",
  ".tsv": "tsv",
  ".xlsx": "xlsx",
  ".xlsm": "xlsx",
  ".xlsb": "xlsx",
  ".xls": "xlsx",
  ".ods": "xlsx",
};

const tsvColumns: ReadonlySet<string> = new Set(petFieldNames);
// TSV is what has a header as `pets list -o tsv` writes it; spreadsheets end it with CRLF.
function formatByStart(file: InputFile, { items, encoding }: ReadOptions): InputFormat {
  const [chunk] = file.chunks().take(1);
  if (workbookStart.test(chunk?.toString("latin1", 0, 4) ?? "")) return "xlsx";
  const start = startOf(new InputText(file.chunks(), encoding));
  const [line = "", end] = start.split(/(\r\n|\r|\n)/, 2);
  if (start.startsWith("[")) return "json";
  // A pretty-printed object goes on in the next line, and another value may follow in this one.
  const isLine = line.trimEnd().endsWith("}") && !/\}\s*\{/.test(line);
  if (start.startsWith("{")) return items === undefined && isLine ? "ndjson" : "json";
  const header = line.split("\t");
  const isKnown = header.every((name) => tsvColumns.has(name)) || resultsLine.test(line);
  const isTsv = header.length > 1 && end !== "\r\n" && isKnown;
  return isTsv ? "tsv" : "csv";
}

/** Returns whether a file begins as `--results` writes one. */
function isResults(file: InputFile): boolean {
  const start = startOf(new InputText(file.chunks()));
  const [, row] = /^(?:\[\n)?(\{.*\}),?$/m.exec(start) ?? [];
  return resultsLine.test(start) || isResultsRow(parseJson(row).value);
}

/** Matches the header of results, which is their first record. */
const resultsLine = /^(?:[^"\r\n]|"[^"]*")*[,;|\t]"?outcome"?([,;|\t])"?id"?\1"?error"?(?![^\r\n])/;

/** Returns the options without those that say where in its input's file the rows are, and in which encoding. */
function asWritten(given: ReadOptions, file: InputFile): ReadOptions {
  const {
    format: _format,
    sheet: _sheet,
    items: _items,
    header: _header,
    skipLines: _skip,
    encoding,
    ...rest
  } = given;
  // A spreadsheet may have saved them again.
  return encoding === undefined || isUtf8(file.chunks()) ? rest : { ...rest, encoding };
}

const maxStart = 64 * 1024;

/** Returns what a text begins with, without blanks before it. */
function startOf(text: InputText): string {
  let start = "";
  for (const piece of text) {
    start = (start + piece).trimStart();
    if (start.length > maxStart) break;
  }
  return start;
}
