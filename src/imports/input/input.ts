import { tmpdir } from "node:os";
import { usageFailure } from "../../core/errors.ts";
import type { InputFormat, ReadRow, Row } from "../types.ts";
import { checkRows } from "./check-rows.ts";
import { InputChunks, readChunks } from "./chunks.ts";
import { type OpenedFile, openFile, type OpenRequest } from "./open.ts";
import type { RowOptions } from "./row.ts";
import { isTsvStart, readTsv, tsvStartLength } from "./tsv.ts";
import { Utf8Text } from "./utf8.ts";

/** What `pets add --from` reads. */
export interface InputRequest extends Omit<OpenRequest, "folder">, RowOptions {
  /** The value of `--format`. */
  readonly format?: InputFormat;
  /** Where standard input is copied to; by default the system's temporary folder. */
  readonly folder?: string;
}

/** The result of the first reading. */
interface FirstReading {
  /** How many rows the input has. */
  readonly rows: number;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly hash: string;
}

/** The rows of a file, to be checked and then sent. */
export interface BulkInput {
  /** Its name in messages. */
  readonly name: string;
  readonly format: InputFormat;
  /** Whether it is a copy of standard input or a pipe, which can be read only once. */
  readonly isReadOnce: boolean;
  /**
   * Reads all rows for the first time, and passes them to `onValid` in batches until one is invalid.
   * Rejects with a usage Failure that lists the invalid ones, or an io Failure.
   */
  check(onValid?: (rows: readonly Row[]) => void): Promise<FirstReading>;
  /**
   * Yields the checked rows, in order and in small batches. Rejects with an io Failure before the
   * next batch if the file has changed.
   */
  rows(): AsyncGenerator<readonly Row[]>;
  close(): void;
}

// Before each batch the file is checked for a change, which takes 3 µs.
const batchSize = 4;

/** Opens an input. Rejects with an io Failure that names it, or the reason of an aborted `signal`. */
export async function openInput(request: InputRequest): Promise<BulkInput> {
  const file = await openFile({ ...request, folder: request.folder ?? tmpdir() });
  try {
    return await readerOf(file, request);
  } catch (error) {
    file.close();
    throw error;
  }
}

async function readerOf(file: OpenedFile, request: InputRequest): Promise<BulkInput> {
  const format = request.format ?? formatByEnding(request.file) ?? (await detectFormat(file));
  if (request.columnMap !== undefined && request.columnMap.size > 0) assertHasColumns(format);
  const chunks = new InputChunks(file);
  const read = (bytes: AsyncIterable<Buffer>) => readRows(format, new Utf8Text(bytes), request);
  return {
    name: file.name,
    format,
    isReadOnce: file.path === undefined,
    check: async (onValid) => {
      const rows = await checkRows(read(chunks.firstPass(request.signal)), file.name, onValid);
      return { rows, hash: chunks.hash };
    },
    rows: () => smallBatches(read(chunks.reread()), chunks),
    close: () => file.close(),
  };
}

function assertHasColumns(format: InputFormat): void {
  if (format !== "csv" && format !== "tsv")
    throw usageFailure(`--map needs CSV or TSV, but the input is ${format}`);
}

function detectFormat(file: OpenedFile): Promise<InputFormat> {
  return formatByStart(new Utf8Text(readChunks(file)));
}

async function* readRows(
  format: InputFormat,
  text: Utf8Text,
  options: RowOptions,
): AsyncGenerator<readonly ReadRow[]> {
  if (format === "ndjson") yield* (await import("./ndjson.ts")).readNdjson(text, options);
  else if (format === "json") yield* (await import("./json-array.ts")).readJson(text, options);
  else if (format === "tsv") yield* readTsv(text, options);
  else yield* (await import("./csv.ts")).readCsv(text, options);
}

async function* smallBatches(
  batches: AsyncIterable<readonly ReadRow[]>,
  chunks: InputChunks,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) {
    const rows = batch.filter((row) => "pet" in row);
    // All were valid before, and the bytes are the same.
    if (rows.length < batch.length) throw new Error("a row that was valid is now invalid");
    for (let from = 0; from < rows.length; from += batchSize) {
      chunks.assertUnchanged();
      yield rows.slice(from, from + batchSize);
    }
  }
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
 * (contract.md, Bulk, Input).
 */
async function formatByStart(text: Utf8Text): Promise<InputFormat> {
  let start = "";
  for await (const piece of text) {
    start = (start + piece.toString()).trimStart();
    if (start.length >= tsvStartLength) break;
  }
  if (start.startsWith("[")) return "json";
  if (start.startsWith("{")) return "ndjson";
  return isTsvStart(start) ? "tsv" : "csv";
}
