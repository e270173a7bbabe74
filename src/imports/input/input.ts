import { createHash } from "node:crypto";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { Failure, usageFailure } from "../../core/errors.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { type NewPetField, petFieldNames } from "../../core/pet-fields.ts";
import { shellCommand } from "../../core/shell-quote.ts";
import type { InputFormat, InputRecord, InvalidRow, ReadOptions, ReadRow, Row } from "../types.ts";
import { parseColumnMap, type RowOptions } from "./columns.ts";
import { readDelimited } from "./delimited.ts";
import { readJsonArray, readNdjson } from "./json.ts";
import { type InputFile, openFile } from "./open.ts";
import { parseValueMap } from "./row.ts";
import { InputText } from "./text.ts";

const maxListed = 20;
const maxCures = 8;
/** A longer flag, such as one with a path that a file made up, is not suggested. */
const maxCureLength = 300;

export interface InputRequest extends ReadOptions {
  /** A path, or `-` for standard input. */
  readonly from: string;
  readonly skipInvalid?: boolean;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Aborts the reading until all rows are checked. */
  readonly signal: AbortSignal;
  readonly platform?: string;
  /** Returns the command that was given, with one more flag; `isReadOnce`: its input cannot be read again. */
  readonly command?: (flag: string, isReadOnce: boolean) => string;
}

/** The rows of a file, to be checked and then sent. */
export type ImportInput = ReturnType<typeof inputOf>;

/** Opens an input. Rejects with a usage or an io Failure, or the reason of an aborted `signal`. */
export async function openInput(request: InputRequest): Promise<ImportInput> {
  const { from, stdin, signal, map = [], value = [], name, category, status } = request;
  const defaults: Record<NewPetField, unknown> = { name, categoryId: category, status };
  const hasDefaults = Object.values(defaults).some((given) => given !== undefined);
  const maps = { columnMap: parseColumnMap(map), valueMap: parseValueMap(value) };
  const file = await openFile(from, stdin, signal);
  try {
    const format =
      request.format ??
      formatsByExtension[path.extname(from).toLowerCase()] ??
      formatByStart(file, request);
    assertFits(request, format);
    return inputOf(file, format, { ...request, ...maps, ...(hasDefaults && { defaults }) });
  } catch (error) {
    file.close();
    throw error;
  }
}

function inputOf(file: InputFile, format: InputFormat, options: InputRequest & RowOptions) {
  const read = (text: InputText): Iterable<InputRecord> => {
    if (format === "ndjson") return readNdjson(text, options);
    if (format === "json") return readJsonArray(text, options);
    return readDelimited(text, format, options);
  };
  async function* records(): AsyncGenerator<readonly InputRecord[]> {
    const text = new InputText(file.chunks(), options.encoding);
    for await (const batch of inBatches(read(text), text)) {
      file.assertUnchanged();
      yield batch;
    }
  }
  return {
    name: file.name,
    format,
    /** Whether it is a copy of standard input or a pipe, which can be read only once. */
    isReadOnce: file.path === undefined,
    /** Reads all rows, in batches. Returns a usage Failure of invalid ones, as a `refusal` too if nothing may be sent. */
    async check(onRows: (rows: readonly ReadRow[]) => void = () => {}) {
      const hash = createHash("sha256").update(stringifyExact(readingOf(format, options)));
      const text = new InputText(file.chunks(hash), options.encoding);
      const listed: InvalidRow[] = [];
      let [rows, invalid] = [0, 0];
      for await (const batch of inBatches(read(text), text)) {
        options.signal.throwIfAborted();
        onRows(batch.map((record) => record.read));
        rows += batch.length;
        for (const { read: row } of batch) {
          if ("pet" in row) continue;
          invalid += 1;
          if (listed.length < maxListed || row.fatal !== undefined)
            listed[Math.min(listed.length, maxListed - 1)] = row;
        }
      }
      const failure = invalid > 0 ? invalidRows(listed, rows, invalid, file, options) : undefined;
      const isSendable = options.skipInvalid && listed.at(-1)?.fatal === undefined;
      const refusal = isSendable ? undefined : failure;
      // The hash is of its bytes and of how they are read, which say what its rows are.
      return { rows, invalid, hash: hash.digest("hex"), shape: text.shape, failure, refusal };
    },
    /** Yields the valid rows in batches. Rejects with an io Failure before the next one if the file has changed. */
    async *rows(): AsyncGenerator<readonly Row[]> {
      for await (const batch of records()) {
        const rows = batch.flatMap(({ read: row }) => ("pet" in row ? [row] : []));
        if (rows.length > 0) yield rows;
      }
    },
    /** Yields all records once more in batches, valid or not. Rejects with an io Failure if the file has changed. */
    records,
    close: () => file.close(),
  };
}

/** Returns the options that change what rows say. A default counts like what is given. */
function readingOf(format: InputFormat, options: ReadOptions): object {
  const { map = [], value = [], header = true, encoding = "utf-8", ...others } = options;
  const { ignoreFields, items, skipLines, name, category, status } = others;
  const reading = { format, map, value, header, encoding, ignoreFields, items, skipLines };
  return { ...reading, name, category, status };
}

/** Yields the records up to a fatal one, those of one chunk of the file at a time; other work may go on between. */
async function* inBatches(records: Iterable<InputRecord>, text: InputText) {
  let batch: InputRecord[] = [];
  let { chunks } = text;
  for (const record of records) {
    batch.push(record);
    if ("fatal" in record.read) break;
    if (text.chunks === chunks) continue;
    yield batch;
    batch = [];
    ({ chunks } = text);
    await setImmediate();
  }
  yield batch;
}

function invalidRows(
  listed: readonly InvalidRow[],
  rows: number,
  invalid: number,
  { name, path: file }: InputFile,
  { skipInvalid = false, platform = "linux", command }: InputRequest,
): Failure {
  const { fatal, message = "" } = listed.at(-1) ?? {};
  const flags = listed.flatMap(({ cure = [] }) => cure.map((flag) => shellCommand(flag, platform)));
  const cures = [...new Set(flags)].filter(({ length }) => length <= maxCureLength);
  const hints = cures.length === 0 ? [] : [`Try it with: ${cures.slice(0, maxCures).join(" ")}`];
  if (fatal === "file") return usageFailure(`${name} ${message}`, ...hints);
  if (fatal === undefined && !skipInvalid && invalid < rows && command !== undefined)
    hints.push(`To send only the valid rows: ${command("--skip-invalid", file === undefined)}`);
  const count = invalid === 1 ? "1 row is invalid" : `${invalid} rows are invalid`;
  const what = fatal === "header" ? "invalid header" : count;
  const sent = fatal === undefined && skipInvalid ? "" : "; nothing was sent";
  const shown = invalid > listed.length ? `; the first ${listed.length} are listed` : "";
  return new Failure("usage", `${what} in ${name}${sent}${shown}`, {
    ...(file !== undefined && { file: path.resolve(file) }),
    details: listed.map(({ cure: _cure, fatal: _fatal, ...detail }) => detail),
    hints,
  });
}

function assertFits({ header = true, skipLines, items }: InputRequest, format: InputFormat): void {
  const isTable = format === "csv" || format === "tsv";
  const flag = header ? "--skip-lines" : "--no-header";
  if (!isTable && (!header || skipLines !== undefined))
    throw usageFailure(`${flag} needs CSV or TSV, but the input is ${format}`);
  if (items !== undefined && format !== "json")
    throw usageFailure(
      `--items needs JSON, but the input is ${format}`,
      "Try it with `--format json`.",
    );
}

export const formatsByExtension: Readonly<Record<string, InputFormat>> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".json": "json",
  ".csv": "csv",
  ".tsv": "tsv",
};

const tsvColumns: ReadonlySet<string> = new Set(petFieldNames);
/** In characters: more than the longest header of `tsvColumns`. */
const startLength = 64;

// TSV is what has a header as `pets list -o tsv` writes it; spreadsheets end it with CRLF.
function formatByStart(file: InputFile, { items, encoding }: InputRequest): InputFormat {
  let start = "";
  for (const piece of new InputText(file.chunks(), encoding)) {
    start = (start + piece).trimStart();
    if (start.length >= startLength) break;
  }
  if (start.startsWith("[")) return "json";
  if (start.startsWith("{")) return items === undefined ? "ndjson" : "json";
  const header = start.split("\n", 1).join("").split("\t");
  return header.length > 1 && header.every((name) => tsvColumns.has(name)) ? "tsv" : "csv";
}
