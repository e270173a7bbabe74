import { tmpdir } from "node:os";
import { setFlagsFromString } from "node:v8";
import type { InputFormat, ReadRow, Row } from "../types.ts";
import { checkRows } from "./check-rows.ts";
import { InputChunks, readChunks } from "./chunks.ts";
import { type OpenedFile, openFile, type OpenRequest } from "./open.ts";
import type { RowOptions } from "./row.ts";
import { Utf8Text } from "./utf8.ts";

/** What `pets add --from` is to read. */
export interface InputRequest extends Omit<OpenRequest, "folder">, RowOptions {
  /** What `--format` says. */
  readonly format?: InputFormat;
  /** Where standard input is kept meanwhile; by default the system's folder for that. */
  readonly folder?: string;
}

/** What the first reading found. */
interface FirstReading {
  /** How many rows there are. */
  readonly rows: number;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly hash: string;
}

/** The animals of a file, to be checked and then sent. */
export interface BulkInput {
  /** What it is called in messages. */
  readonly name: string;
  readonly format: InputFormat;
  /** Whether it came from standard input or a pipe, and is a copy. */
  readonly isReadOnce: boolean;
  /**
   * Reads all rows for the first time, and gives them to `see`, in batches, while none is invalid.
   * Rejects with a usage Failure that lists the invalid ones, or an io Failure.
   */
  check(see?: (rows: readonly Row[]) => void): Promise<FirstReading>;
  /**
   * The rows that were checked, in order and in small batches. Rejects with an io Failure before a
   * batch of a file that has changed meanwhile.
   */
  rows(): AsyncGenerator<readonly Row[]>;
  close(): void;
}

// Between batches it is looked at whether the file has changed, which takes 3 µs.
const batchSize = 4;

/** Opens an input. Rejects with an io Failure that names it, and when `signal` is aborted. */
export async function openInput(request: InputRequest): Promise<BulkInput> {
  limitYoungGeneration();
  const file = await openFile({ ...request, folder: request.folder ?? tmpdir() });
  try {
    return await readerOf(file, request);
  } catch (error) {
    file.close();
    throw error;
  }
}

async function readerOf(file: OpenedFile, request: InputRequest): Promise<BulkInput> {
  const format = request.format ?? formatByEnding(request.file) ?? (await startOf(file));
  const chunks = new InputChunks(file);
  const read = (bytes: AsyncIterable<Buffer>) => readRows(format, new Utf8Text(bytes), request);
  return {
    name: file.name,
    format,
    isReadOnce: file.path === undefined,
    check: async (see) => {
      const rows = await checkRows(read(chunks.firstPass(request.signal)), file.name, see);
      return { rows, hash: chunks.hash };
    },
    rows: () => smallBatches(read(chunks.reread()), chunks),
    close: () => file.close(),
  };
}

function startOf(file: OpenedFile): Promise<InputFormat> {
  return formatByStart(new Utf8Text(readChunks(file)));
}

async function* readRows(
  format: InputFormat,
  text: Utf8Text,
  options: RowOptions,
): AsyncGenerator<readonly ReadRow[]> {
  if (format === "ndjson") yield* (await import("./ndjson.ts")).readNdjson(text, options);
  else if (format === "json") yield* (await import("./json-array.ts")).readJson(text, options);
  else yield* (await import("./csv.ts")).readCsv(text, options);
}

async function* smallBatches(
  batches: AsyncIterable<readonly ReadRow[]>,
  chunks: InputChunks,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) {
    const rows = batch.filter((row) => "pet" in row);
    // Each was valid, and its bytes are the same.
    if (rows.length < batch.length) throw new Error("a row that was valid is not any more");
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
};

/** The format that the ending of a file's name tells, in upper or lower case. */
function formatByEnding(file: string): InputFormat | undefined {
  const ending = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(endings, ending) ? endings[ending] : undefined;
}

/** The format that the first character tells that is no white space (contract.md, Bulk, Input). */
async function formatByStart(text: Utf8Text): Promise<InputFormat> {
  for await (const piece of text) {
    const first = /\S/.exec(piece.toString())?.[0];
    if (first !== undefined) return first === "[" ? "json" : first === "{" ? "ndjson" : "csv";
  }
  return "csv";
}

/**
 * Keeps V8 from giving more room to what is new as more of it is made. Rows live for an instant:
 * more room saves no time, and takes up to 60 MB.
 */
function limitYoungGeneration(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}
