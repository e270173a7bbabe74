import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import { usageFailure } from "../../core/errors.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import type { InputFormat, InputRecord, InputShape, Row } from "../types.ts";
import { type CheckedRows, type CheckOptions, checkRows } from "./check-rows.ts";
import { InputChunks, readChunks } from "./chunks.ts";
import type { DelimitedRows } from "./delimited-rows.ts";
import { type OpenedFile, openFile, type OpenRequest } from "./open.ts";
import type { RowOptions } from "./row.ts";
import { InputText, type TextOptions } from "./text.ts";
import { isTsvStart, readTsv, tsvStartLength } from "./tsv.ts";

/** How an input is read. */
interface ReadingOptions extends RowOptions, TextOptions {
  /** The value of `--format`. */
  readonly format?: InputFormat | undefined;
  /** Where the array is in a JSON object, as `data.animals`. */
  readonly items?: string | undefined;
}

/** What `pets add --from` reads. */
export interface InputRequest
  extends
    Omit<OpenRequest, "folder">,
    ReadingOptions,
    Pick<CheckOptions, "skipInvalid" | "platform"> {
  /** Where standard input is copied to; by default the system's temporary directory. */
  readonly folder?: string;
}

/** The result of the first reading. */
interface FirstReading extends CheckedRows {
  /**
   * SHA-256 of the bytes in hexadecimal; of the bytes and of the options that change what rows say if there
   * are any, so that another reading of a file counts as another input.
   */
  readonly hash: string;
}

/** The rows of a file, to be checked and then sent. */
export interface BulkInput {
  /** Its name in messages. */
  readonly name: string;
  readonly format: InputFormat;
  /** Whether it is a copy of standard input or a pipe, which can be read only once. */
  readonly isReadOnce: boolean;
  /** Known once the first record is read. */
  readonly shape: InputShape;
  /**
   * Reads all rows for the first time, and passes the valid ones to `onValid` in small batches, until one is
   * invalid that is not left out. Rejects with a usage Failure that lists the invalid ones, or an io Failure.
   */
  check(onValid?: (rows: readonly Row[]) => void): Promise<FirstReading>;
  /**
   * Yields the valid rows, in order and in small batches. Rejects with an io Failure before the next batch
   * if the file has changed.
   */
  rows(): AsyncGenerator<readonly Row[]>;
  /** Yields all records once more, valid or not. Rejects with an io Failure if the file has changed. */
  records(): AsyncGenerator<InputRecord>;
  close(): void;
}

// Before each batch the file is checked for a change, which takes 3 µs.
const batchSize = 4;

/** Opens an input. Rejects with an io Failure that names it, or the reason of an aborted `signal`. */
export async function openInput(request: InputRequest): Promise<BulkInput> {
  // A buffer of Node's pool of 64 KB stays while any part of it is in use.
  Buffer.poolSize = 8 * 1024;
  const file = await openFile({ ...request, folder: request.folder ?? tmpdir() });
  try {
    return await readerOf(file, request);
  } catch (error) {
    file.close();
    throw error;
  }
}

async function readerOf(file: OpenedFile, request: InputRequest): Promise<BulkInput> {
  const format =
    request.format ?? formatByEnding(request.file) ?? (await detectFormat(file, request));
  assertFits(request, format);
  const chunks = new InputChunks(file);
  let text: InputText | undefined;
  let delimited: { readonly rows: DelimitedRows; readonly delimiter: string } | undefined;
  const read = (bytes: AsyncIterable<Buffer>) => {
    const opened = (text = new InputText(bytes, request));
    return readRecords(
      format,
      opened,
      request,
      (rows, delimiter) => (delimited = { rows, delimiter }),
    );
  };
  return {
    name: file.name,
    format,
    isReadOnce: file.path === undefined,
    get shape() {
      const { hasByteOrderMark = false, lineEnd = "\n" } = text ?? {};
      const columns = delimited?.rows.header;
      return {
        lineEnd,
        hasByteOrderMark,
        ...(columns !== undefined && { columns, delimiter: delimited?.delimiter ?? "," }),
      };
    },
    check: async (onValid) => {
      const { name } = file;
      const found = await checkRows(read(chunks.firstPass(request.signal)), {
        ...request,
        name,
        ...(file.path !== undefined && { path: path.resolve(file.path) }),
        ...(onValid && { onValid }),
      });
      return { ...found, hash: inputHash(chunks.hash, request) };
    },
    rows: () => validRows(read(chunks.reread()), chunks),
    records: () => recordsOf(read(chunks.reread())),
    close: () => file.close(),
  };
}

function assertFits(request: InputRequest, format: InputFormat): void {
  const isTable = format === "csv" || format === "tsv";
  const { noHeader = false, skipLines = 0, items } = request;
  const flag = noHeader ? "--no-header" : skipLines > 0 ? "--skip-lines" : undefined;
  if (!isTable && flag !== undefined)
    throw usageFailure(`${flag} needs CSV or TSV, but the input is ${format}`);
  if (items !== undefined && format !== "json")
    throw usageFailure(
      `--items needs JSON, but the input is ${format}`,
      "try it with --format json",
    );
}

/** Returns the hash of an input from that of its bytes and the options that change what its rows say. */
function inputHash(bytes: string, request: ReadingOptions): string {
  const { columnMap, valueMap, defaults, noHeader, items, skipLines, encoding } = request;
  const options = {
    ...(columnMap && columnMap.size > 0 && { map: [...columnMap.values()] }),
    ...(valueMap && { values: [...valueMap].map(([field, texts]) => [field, [...texts]]) }),
    defaults,
    ...(noHeader === true && { noHeader }),
    items,
    skipLines,
    encoding,
  };
  const text = stringifyExact(options);
  return text === "{}" ? bytes : createHash("sha256").update(`${bytes} ${text}`).digest("hex");
}

function detectFormat(file: OpenedFile, request: ReadingOptions): Promise<InputFormat> {
  return formatByStart(new InputText(readChunks(file), request), request);
}

async function* readRecords(
  format: InputFormat,
  text: InputText,
  options: ReadingOptions,
  onHeader: (rows: DelimitedRows, delimiter: string) => void,
): AsyncGenerator<Iterable<InputRecord>> {
  if (format === "ndjson") yield* (await import("./ndjson.ts")).readNdjson(text, options);
  else if (format === "json") yield* (await import("./json-array.ts")).readJson(text, options);
  else if (format === "tsv") yield* readTsv(text, options, (rows) => onHeader(rows, "\t"));
  else yield* (await import("./csv.ts")).readCsv(text, options, onHeader);
}

async function* validRows(
  batches: AsyncIterable<Iterable<InputRecord>>,
  chunks: InputChunks,
): AsyncGenerator<readonly Row[]> {
  let rows: Row[] = [];
  for await (const batch of batches) {
    for (const { read } of batch) {
      if ("pet" in read) rows.push(read);
      if (rows.length < batchSize) continue;
      chunks.assertUnchanged();
      yield rows;
      rows = [];
    }
  }
  chunks.assertUnchanged();
  if (rows.length > 0) yield rows;
}

async function* recordsOf(
  batches: AsyncIterable<Iterable<InputRecord>>,
): AsyncGenerator<InputRecord> {
  for await (const batch of batches) yield* batch;
}

const endings: Readonly<Record<string, InputFormat>> = {
  ndjson: "ndjson",
  jsonl: "ndjson",
  json: "json",
  csv: "csv",
  tsv: "tsv",
};

/** Returns the format of a file name extension, in upper or lower case. */
function formatByEnding(file: string): InputFormat | undefined {
  const ending = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(endings, ending) ? endings[ending] : undefined;
}

/**
 * Returns the format by the first character that is not white space, and for TSV by the header
 * (`help bulk`).
 */
async function formatByStart(
  text: InputText,
  { items }: Pick<ReadingOptions, "items">,
): Promise<InputFormat> {
  let start = "";
  for await (const piece of text) {
    start = (start + piece).trimStart();
    if (start.length >= tsvStartLength) break;
  }
  if (start.startsWith("[")) return "json";
  if (start.startsWith("{")) return items === undefined ? "ndjson" : "json";
  return isTsvStart(start) ? "tsv" : "csv";
}
