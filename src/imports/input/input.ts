import { createHash } from "node:crypto";
import path from "node:path";
import { usageFailure } from "../../core/errors.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { petFieldNames } from "../../core/pet-fields.ts";
import type { InputFormat, InputRecord, InputShape, Row } from "../types.ts";
import { type CheckOptions, checkRows } from "./check-rows.ts";
import { InputChunks, readChunks } from "./chunks.ts";
import { DelimitedReader } from "./delimited.ts";
import { parseColumnMap, parseValueMap } from "./fields.ts";
import { JsonArrayReader } from "./json-array.ts";
import { NdjsonReader } from "./ndjson.ts";
import { type OpenedFile, openFile, type OpenRequest } from "./open.ts";
import type { RowOptions } from "./row.ts";
import { InputText, readRecords, type RecordReader } from "./text.ts";

/** What `pets add --from` reads, and how. */
export interface InputRequest
  extends OpenRequest, CheckOptions, Omit<RowOptions, "columnMap" | "valueMap"> {
  /** The value of `--format`. */
  readonly format?: InputFormat | undefined;
  /** A label that TextDecoder knows; by default UTF-8. */
  readonly encoding?: string | undefined;
  /** The values of `--map` and of `--value`. */
  readonly map?: readonly string[];
  readonly value?: readonly string[];
}

/** The rows of a file, to be checked and then sent. */
export type BulkInput = ReturnType<typeof inputOf>;

/** Opens an input. Rejects with a usage or an io Failure, or the reason of an aborted `signal`. */
export async function openInput(request: InputRequest): Promise<BulkInput> {
  // A buffer of Node's pool of 64 KB stays while any part of it is in use.
  Buffer.poolSize = 8 * 1024;
  const { map = [], value = [], file: name } = request;
  const options = { ...request, columnMap: parseColumnMap(map), valueMap: parseValueMap(value) };
  const file = await openFile(request);
  try {
    const format =
      request.format ??
      formatsByExtension[path.extname(name).toLowerCase()] ??
      (await formatByStart(file, request));
    assertFits(request, format);
    return inputOf(file, format, options);
  } catch (error) {
    file.close();
    throw error;
  }
}

function inputOf(file: OpenedFile, format: InputFormat, options: InputRequest & RowOptions) {
  const chunks = new InputChunks(file);
  let text: InputText | undefined;
  let reader: RecordReader | undefined;
  const read = (bytes: AsyncIterable<Buffer>): AsyncGenerator<Iterable<InputRecord>> => {
    text = new InputText(bytes, options.encoding);
    reader = readerOf(format, options);
    return readRecords(text, reader);
  };
  return {
    /** Its name in messages. */
    name: file.name,
    format,
    /** Whether it is a copy of standard input or a pipe, which can be read only once. */
    isReadOnce: file.path === undefined,
    /** Known once the first record is read. */
    get shape(): InputShape {
      return { lineEnd: "\n", ...reader?.shape, hasByteOrderMark: text?.hasByteOrderMark === true };
    },
    /**
     * Reads all rows for the first time, and passes the valid ones to `onValid` in small batches, until one is
     * invalid that is not left out. Rejects with a usage Failure that lists the invalid ones, or an io Failure.
     */
    async check(onValid?: (rows: readonly Row[]) => void) {
      const found = await checkRows(read(chunks.firstPass(options.signal)), file, options, onValid);
      return { ...found, hash: inputHash(chunks.hash, options) };
    },
    /** Yields the valid rows in small batches. Rejects with an io Failure before the next one if the file has changed. */
    async *rows(): AsyncGenerator<readonly Row[]> {
      for await (const batch of read(chunks.reread())) {
        const rows: Row[] = [];
        for (const { read: row } of batch) if ("pet" in row) rows.push(row);
        await chunks.assertUnchanged();
        if (rows.length > 0) yield rows;
      }
    },
    /** Yields all records once more, valid or not. Rejects with an io Failure if the file has changed. */
    async *records(): AsyncGenerator<InputRecord> {
      for await (const batch of read(chunks.reread())) yield* batch;
    },
    close: () => file.close(),
  };
}

function readerOf(format: InputFormat, options: RowOptions): RecordReader {
  if (format === "ndjson") return new NdjsonReader(options);
  return format === "json" ? new JsonArrayReader(options) : new DelimitedReader(format, options);
}

function assertFits({ noHeader, skipLines, items }: InputRequest, format: InputFormat): void {
  const isTable = format === "csv" || format === "tsv";
  const flag = noHeader ? "--no-header" : "--skip-lines";
  if (!isTable && (noHeader || skipLines !== undefined))
    throw usageFailure(`${flag} needs CSV or TSV, but the input is ${format}`);
  if (items !== undefined && format !== "json")
    throw usageFailure(
      `--items needs JSON, but the input is ${format}`,
      "try it with --format json",
    );
}

/** Returns the hash of the bytes, and of the options that change what rows say: they make it another input. */
function inputHash(bytes: string, request: InputRequest): string {
  const { map = [], value = [], defaults, noHeader, items, skipLines, encoding } = request;
  const options = stringifyExact({
    ...(map.length > 0 && { map }),
    ...(value.length > 0 && { value }),
    ...(noHeader && { noHeader }),
    defaults,
    items,
    skipLines,
    encoding,
  });
  return options === "{}"
    ? bytes
    : createHash("sha256").update(`${bytes} ${options}`).digest("hex");
}

/** The formats of file name extensions. */
export const formatsByExtension: Readonly<Record<string, InputFormat>> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".json": "json",
  ".csv": "csv",
  ".tsv": "tsv",
};

const tsvColumns: ReadonlySet<string> = new Set(petFieldNames);
/** How many characters are more than the longest header of `tsvColumns`. */
const startLength = 64;

/**
 * Returns the format by the first character that is not white space, and for TSV by the header as `pets list -o tsv`
 * writes it: spreadsheets end it with CRLF (`help bulk`).
 */
async function formatByStart(
  file: OpenedFile,
  { items, encoding }: InputRequest,
): Promise<InputFormat> {
  let start = "";
  for await (const piece of new InputText(readChunks(file), encoding)) {
    start = (start + piece).trimStart();
    if (start.length >= startLength) break;
  }
  if (start.startsWith("[")) return "json";
  if (start.startsWith("{")) return items === undefined ? "ndjson" : "json";
  const header = start.split("\n", 1).join("").split("\t");
  return header.length > 1 && header.every((name) => tsvColumns.has(name)) ? "tsv" : "csv";
}
