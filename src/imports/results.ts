import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { csvLine } from "../core/csv.ts";
import { ioFailure, isSystemError, orIoFailure, usageFailure } from "../core/errors.ts";
import { isRecord, parseExact } from "../core/json/parse.ts";
import { stringifyExact } from "../core/json/stringify.ts";
import { escapeTsv } from "../core/sanitize.ts";
import type { ProgramFolders } from "../platform/paths.ts";
import { resolveLinks } from "../platform/private-files.ts";
import { foundRows } from "./database/compare.ts";
import type { ImportDatabase } from "./database/database.ts";
import { type ImportRecord, type RecordedRow, recordedRows } from "./database/import-records.ts";
import { repeatedKeys } from "./database/stage.ts";
import { isIgnoredColumn, resultFields } from "./input/columns.ts";
import { repeatedKey } from "./input/facts.ts";
import { formatsByExtension, type ImportInput } from "./input/input.ts";
import { cellOf } from "./input/row.ts";
import { isBare, isNull } from "./input/table.ts";
import type {
  InputFormat,
  InputRecord,
  InputShape,
  InvalidRow,
  Outcome,
  ReadRow,
} from "./types.ts";

interface RowResult extends Partial<Pick<RecordedRow, "id" | "code" | "error">> {
  readonly outcome: string;
}

/** Returns what became of the row with this number, from 0; the rows are asked for in their order. */
export type ResultOf = (number: number, read: ReadRow) => RowResult;

const batchSize = 500;

/**
 * Returns what became of the staged rows: as their import recorded it, if that has begun, else `unsent`. If they are
 * `compared`, those are known that were found just now; if they are to be sent `again`, none is.
 */
export function outcomesOf(
  database: ImportDatabase,
  record: ImportRecord | undefined,
  unsent: "valid" | "not_sent",
  plan?: "compared" | "again",
): ResultOf {
  let byNumber = new Map<number, RowResult | { readonly keptLine: number }>();
  let end = 0;
  const look = (first: number): void => {
    end = first + batchSize;
    byNumber = new Map();
    for (const { number, outcome, id } of plan === "compared"
      ? foundRows(database, [first, batchSize])
      : [])
      byNumber.set(number, { outcome: outcomeName(outcome), id });
    for (const row of record ? recordedRows(database, record, first, batchSize) : []) {
      const isSure = row.outcome === "known" || row.outcome === "changed";
      // What an earlier run left out is compared again, unless that one was added.
      const isKept = row.byImport === null || plan === undefined || (isSure && plan === "compared");
      if (row.outcome !== "unsent" && isKept && !byNumber.has(row.number))
        byNumber.set(row.number, { ...row, outcome: outcomeName(row.outcome) });
    }
    for (const { number, keptLine, state } of repeatedKeys(database, first, batchSize))
      byNumber.set(number, state === "repeated" ? { outcome: state } : { keptLine });
  };
  return (number, read) => {
    if (number >= end) look(number);
    if (!("pet" in read)) return invalidResult(read);
    const found = byNumber.get(number) ?? { outcome: unsent };
    if (!("keptLine" in found)) return found;
    return invalidResult({ field: "key", message: repeatedKey(read.key, found.keptLine) });
  };
}

function invalidResult({ field, message }: Pick<InvalidRow, "field" | "message">): RowResult {
  const error = field === undefined ? message : `${field} ${message}`;
  return { outcome: "invalid", code: "usage", error };
}

/** Returns what became of a row in the words of an import's outcomes. */
export const outcomeName = (outcome: Outcome): string =>
  outcome === "unsent" || outcome === "waiting" ? "not_sent" : outcome;

/** An input that was checked. */
interface ResultsSource {
  readonly source: Pick<ImportInput, "format" | "records">;
  readonly shape: InputShape;
  readonly invalid: number;
}

/** Checks that results can be written to a file, not the input nor the program's own. Throws a usage or an io Failure. */
export function openResults(
  name: string,
  from: string,
  { folders, atExit }: { folders: ProgramFolders; atExit: (step: () => void) => () => void },
) {
  const attempt = <T>(step: () => T): T => orIoFailure(`cannot write ${name}`, step);
  if (endingOf(name) === "xlsx")
    throw usageFailure(`--results cannot write a workbook (${name}); name a .csv file`);
  // Through a link, as a shell would; the rename replaces what it leads to.
  const file = attempt(() => resolveLinks(path.resolve(name)));
  const there = attempt(() => fs.statSync(file, { throwIfNoEntry: false }));
  if (there !== undefined && !there.isFile())
    throw ioFailure(`cannot write ${name}: it is not a regular file`);
  const read = fs.statSync(from, { throwIfNoEntry: false });
  if (there !== undefined && read?.ino === there.ino && read.dev === there.dev)
    throw usageFailure(`--results must not be the input (${name})`);
  if (isOwn(file, folders))
    throw usageFailure(`--results must not be a file of pets itself (${name})`);
  const temporary = path.join(path.dirname(file), `.pets-${randomUUID()}`);
  // Fails if it exists, a link included.
  const open = (): number => attempt(() => fs.openSync(temporary, "wx", 0o600));
  const remove = (): void => fs.rmSync(temporary, { force: true });
  // What will be done, before the first request.
  fs.closeSync(open());
  remove();
  if (there !== undefined) attempt(() => assertReplaceable(file));
  return {
    /** Writes all rows: the file appears whole, or is left as it was, also if `signal` is aborted. Rejects with an io Failure. */
    async write(input: ResultsSource, resultOf: ResultOf, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return;
      const { format: own } = input.source;
      const format = endingOf(name) ?? (own === "xlsx" ? "csv" : own);
      const forget = atExit(remove);
      const fd = open();
      try {
        if (there !== undefined) attempt(() => fs.fchmodSync(fd, there.mode & 0o777));
        for await (const text of textsOf(input, resultOf, format)) {
          if (signal.aborted) return;
          attempt(() => fs.writeFileSync(fd, text));
        }
        attempt(() => fs.fsyncSync(fd));
        attempt(() => replace(file, temporary));
      } finally {
        fs.closeSync(fd);
        remove();
        forget();
      }
    },
  };
}

const endingOf = (name: string): InputFormat | undefined =>
  formatsByExtension[path.extname(name).toLowerCase()];

/** Returns whether a file is in a directory of this program, or its profiles, which may be a link to another. */
function isOwn(file: string, { config, data, state, cache }: ProgramFolders): boolean {
  return [config, data, state, cache, path.join(config, "config.json")].some((own) => {
    const real = fs.existsSync(own) ? fs.realpathSync(own) : own;
    return `${file}${path.sep}`.startsWith(real + path.sep);
  });
}

/** Throws the file system's error unless a file can be written, or else be replaced, of which `rmdir` tells without doing it. */
function assertReplaceable(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, "r+"));
  } catch (error) {
    // A file system of its own, which cannot be replaced by a rename.
    if (isSystemError(error, "EROFS")) throw error;
    try {
      fs.rmdirSync(file);
    } catch (reason) {
      if (!isSystemError(reason, "ENOTDIR")) throw error;
    }
  }
}

/** Moves another file to the place of `file`; writes into it where that is not allowed: a mount, or a sticky directory. */
function replace(file: string, other: string): void {
  try {
    fs.renameSync(other, file);
  } catch (error) {
    if (!fs.existsSync(file)) throw error;
    const [from, to] = [fs.openSync(other, "r"), fs.openSync(file, "r+")];
    fs.ftruncateSync(to);
    const buffer = Buffer.alloc(64 * 1024);
    for (let size = fs.readSync(from, buffer); size > 0; size = fs.readSync(from, buffer))
      fs.writeFileSync(to, buffer.subarray(0, size));
    fs.fsyncSync(to);
    for (const fd of [from, to]) fs.closeSync(fd);
  }
}

/** Yields the text of all rows of an input that was read before. Rejects with an io Failure if it cannot be read to its end. */
async function* textsOf(input: ResultsSource, resultOf: ResultOf, format: InputFormat) {
  const { source } = input;
  const shape: Partial<InputShape> = format === source.format ? input.shape : {};
  const isTable = format === "csv" || format === "tsv";
  const rows = isTable
    ? delimited(format === "tsv", shape, await columnsOf(input))
    : json(format === "json", input.shape);
  yield (isTable && shape.hasByteOrderMark ? "\ufeff" : "") + rows.start;
  let number = 0;
  for await (const records of source.records()) {
    let text = "";
    for (const { read, original, quoted } of records) {
      // What is there says more.
      if ("fatal" in read) throw ioFailure("the input cannot be read to its end");
      const isBareAt: IsBare = (at) => isBare(source.format, quoted, at);
      text += rows.row(number, original, resultOf(number, read), isBareAt);
      number += 1;
    }
    yield text;
  }
  yield rows.end(number);
}

/** Returns the names of the columns of a header, and an empty one for each cell beyond it; for JSON the keys of all rows. */
async function columnsOf({ source, shape: { columns }, invalid }: ResultsSource) {
  // Only an invalid row has more cells.
  if (columns !== undefined && invalid === 0) return columns;
  const keys = new Set<string>();
  let width = 0;
  for await (const records of source.records())
    for (const { original } of records)
      if (typeof original !== "string") width = Math.max(width, original.length);
      else for (const [name] of entriesOf(original)) keys.add(name);
  const named = columns ?? [...keys];
  return [...named, ...Array.from({ length: width - named.length }, () => "")];
}

/** Returns whether the cell at a place of a row is without quotes, so that it may stand for nothing. */
type IsBare = (at: number) => boolean;

/** The names and values of a row, in their order; JSON values as they are written. */
type Entries = readonly (readonly [name: string, value: unknown])[];

/** Returns what writes rows as CSV or TSV, with the separator and line ends of an input of that format. */
function delimited(
  isTsv: boolean,
  { delimiter, lineEnd = isTsv ? "\n" : "\r\n" }: Partial<InputShape>,
  columns: readonly string[],
) {
  const line = (cells: readonly string[], isBareAt: IsBare = () => false): string =>
    isTsv
      ? cells.map((each, at) => (isBareAt(at) && isNull(each) ? "" : escapeTsv(each))).join("\t") +
        lineEnd
      : csvLine(cells, delimiter, lineEnd, isBareAt);
  const kept = columns.flatMap((name, at) => (isIgnoredColumn(name) ? [] : [{ name, at }]));
  return {
    start: line([...kept.map(({ name }) => name), ...resultFields]),
    end: () => "",
    row(_number: number, original: InputRecord["original"], result: RowResult, isBareAt: IsBare) {
      const values = typeof original === "string" && new Map(entriesOf(original));
      const own = kept.map(({ name, at }) => cellOf(values ? values.get(name) : original[at]));
      const results = resultFields.map((field) => result[field] ?? "");
      const isBareIn: IsBare = (place) => kept[place] !== undefined && isBareAt(kept[place].at);
      return line([...own, ...results], isBareIn);
    },
  };
}

function json(isArray: boolean, shape: InputShape) {
  const names = namesOf(shape);
  const [first, between, after] = isArray ? ["[\n", ",\n", ""] : ["", "", "\n"];
  return {
    start: "",
    end: (rows: number) => (isArray ? `${rows === 0 ? "[" : "\n"}]\n` : ""),
    row(number: number, original: InputRecord["original"], result: RowResult, isBareAt: IsBare) {
      const entries =
        typeof original === "string" ? entriesOf(original) : cellsOf(original, names, isBareAt);
      const { outcome, id, code, error } = result;
      const members = [
        ...entries.filter(([name]) => !isIgnoredColumn(name)),
        ["outcome", outcome],
        ...(id ? [["id", JSON.rawJSON(id)]] : []),
        ...(error ? [["error", { code, message: error }]] : []),
      ].map(([name, value]) => `${stringifyExact(name)}:${stringifyExact(value)}`);
      return `${number === 0 ? first : between}{${members.join(",")}}${after}`;
    },
  };
}

/** Returns the keys of columns: a name that comes again gets its place. */
function namesOf({ columns = [] }: InputShape): readonly string[] {
  const seen = new Set([""]);
  return columns.map((name, at) => (seen.size < seen.add(name).size ? name : `${name}#${at + 1}`));
}

const cellsOf = (cells: readonly string[], names: readonly string[], isBareAt: IsBare): Entries =>
  cells.map((cell, at) => [names[at] ?? `#${at + 1}`, isBareAt(at) && isNull(cell) ? null : cell]);

/** Returns the keys and values of a JSON object, with numbers as they are written; none of any other text. */
function entriesOf(text: string): Entries {
  try {
    const value = parseExact(text);
    return isRecord(value) ? Object.entries(value) : [];
  } catch {
    return [];
  }
}
