import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import { usageFailure } from "../../core/errors.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { petFieldNames } from "../../core/pet-fields.ts";
import type { InputFormat, InputRecord, InputShape, Row } from "../types.ts";
import { type CheckedRows, type CheckOptions, checkRows } from "./check-rows.ts";
import { InputChunks, readChunks } from "./chunks.ts";
import { readDelimited } from "./delimited.ts";
import { parseColumnMap, parseValueMap } from "./fields.ts";
import { readJson, readNdjson } from "./json.ts";
import { type OpenedFile, openFile, type OpenRequest } from "./open.ts";
import type { RowOptions } from "./row.ts";
import { InputText } from "./text.ts";

/** What `pets add --from` reads, and how. */
export interface InputRequest
  extends
    Omit<OpenRequest, "folder">,
    Omit<RowOptions, "columnMap" | "valueMap">,
    Omit<CheckOptions, "name" | "path"> {
  /** Where standard input is copied to; by default the system's temporary directory. */
  readonly folder?: string;
  /** The value of `--format`. */
  readonly format?: InputFormat | undefined;
  /** A label that TextDecoder knows; by default UTF-8. */
  readonly encoding?: string | undefined;
  /** The values of `--map` and of `--value`. */
  readonly map?: readonly string[];
  readonly value?: readonly string[];
}

/** The result of the first reading. */
interface FirstReading extends CheckedRows {
  /**
   * SHA-256 of the bytes in hexadecimal; of the bytes and of the options that change what rows say if there
   * are any, so that another reading of a file counts as another input.
   */
  readonly hash: string;
}

/** A request with its flags parsed. */
type ReadRequest = InputRequest & RowOptions;

/**
 * Opens an input. Rejects with a usage Failure for options that do not fit, an io Failure that names the file, or the
 * reason of an aborted `signal`.
 */
export async function openInput(request: InputRequest): Promise<BulkInput> {
  // A buffer of Node's pool of 64 KB stays while any part of it is in use.
  Buffer.poolSize = 8 * 1024;
  const { map = [], value = [], folder = tmpdir() } = request;
  const options = { ...request, columnMap: parseColumnMap(map), valueMap: parseValueMap(value) };
  const file = await openFile({ ...request, folder });
  try {
    const format =
      request.format ??
      formatsByExtension[path.extname(request.file).toLowerCase()] ??
      (await formatByStart(file, request));
    assertFits(request, format);
    return new BulkInput(file, format, options);
  } catch (error) {
    file.close();
    throw error;
  }
}

/** The rows of a file, to be checked and then sent. */
export class BulkInput {
  readonly format: InputFormat;
  readonly #file: OpenedFile;
  readonly #request: ReadRequest;
  readonly #chunks: InputChunks;
  #text: InputText | undefined;
  #header: Partial<InputShape> = {};

  constructor(file: OpenedFile, format: InputFormat, request: ReadRequest) {
    this.#file = file;
    this.format = format;
    this.#request = request;
    this.#chunks = new InputChunks(file);
  }

  /** Its name in messages. */
  get name(): string {
    return this.#file.name;
  }

  /** Whether it is a copy of standard input or a pipe, which can be read only once. */
  get isReadOnce(): boolean {
    return this.#file.path === undefined;
  }

  /** Known once the first record is read. */
  get shape(): InputShape {
    const { hasByteOrderMark = false } = this.#text ?? {};
    return { lineEnd: "\n", ...this.#header, hasByteOrderMark };
  }

  /**
   * Reads all rows for the first time, and passes the valid ones to `onValid` in small batches, until one is
   * invalid that is not left out. Rejects with a usage Failure that lists the invalid ones, or an io Failure.
   */
  async check(onValid?: (rows: readonly Row[]) => void): Promise<FirstReading> {
    const { name, path: file } = this.#file;
    const { signal, skipInvalid, platform } = this.#request;
    const records = this.#read(this.#chunks.firstPass(signal));
    const place = file === undefined ? undefined : path.resolve(file);
    const options = { name, path: place, skipInvalid, platform };
    const found = await checkRows(records, options, onValid);
    return { ...found, hash: inputHash(this.#chunks.hash, this.#request) };
  }

  /**
   * Yields the valid rows, in order and in small batches. Rejects with an io Failure before the next batch
   * if the file has changed.
   */
  async *rows(): AsyncGenerator<readonly Row[]> {
    for await (const batch of this.#read(this.#chunks.reread())) {
      const rows: Row[] = [];
      for (const { read } of batch) if ("pet" in read) rows.push(read);
      await this.#chunks.assertUnchanged();
      if (rows.length > 0) yield rows;
    }
  }

  /** Yields all records once more, valid or not. Rejects with an io Failure if the file has changed. */
  async *records(): AsyncGenerator<InputRecord> {
    for await (const batch of this.#read(this.#chunks.reread())) yield* batch;
  }

  close(): void {
    this.#file.close();
  }

  #read(bytes: AsyncIterable<Buffer>): AsyncGenerator<Iterable<InputRecord>> {
    const { format } = this;
    const options = this.#request;
    const text = (this.#text = new InputText(bytes, options.encoding));
    if (format === "ndjson") return readNdjson(text, options);
    if (format === "json") return readJson(text, options);
    return readDelimited(text, { format, options, onHeader: (shape) => (this.#header = shape) });
  }
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

/** Returns the hash of an input from that of its bytes and the options that change what its rows say. */
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

const tsvHeader = new RegExp(
  `^(?:${petFieldNames.join("|")})(?:\\t(?:${petFieldNames.join("|")}))+(?:\\n|$)`,
);
/** How many characters are more than the longest header of `tsvHeader`. */
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
  return tsvHeader.test(start.slice(0, startLength)) ? "tsv" : "csv";
}
