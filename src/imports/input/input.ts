import { createHash, type Hash } from "node:crypto";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { Failure, usageFailure } from "../../core/errors.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { type NewPetField, petFieldNames, type PetStatus } from "../../core/pet-fields.ts";
import { shellCommand } from "../../core/shell-quote.ts";
import type { InputFormat, InputRecord, InputShape, InvalidRow, ReadRow, Row } from "../types.ts";
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

/** What `pets add --from` reads, and how, by its flags. */
export interface FileOptions extends Omit<RowOptions, "columnMap" | "valueMap" | "defaults"> {
  /** A path, or `-` for standard input. */
  readonly from: string;
  readonly format?: InputFormat;
  /** A label that TextDecoder knows; by default UTF-8. */
  readonly encoding?: string;
  readonly map?: readonly string[];
  readonly value?: readonly string[];
  readonly name?: string;
  readonly category?: bigint;
  readonly status?: PetStatus;
  readonly skipInvalid?: boolean;
}

export interface InputRequest extends FileOptions {
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
  // A buffer of Node's pool of 64 KB stays while any part of it is in use.
  Buffer.poolSize = 8 * 1024;
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
  let text = new InputText([]);
  let contentHash = "";
  const read = (bytes: Iterable<Buffer>): Iterable<InputRecord> => {
    text = new InputText(bytes, options.encoding);
    if (format === "ndjson") return readNdjson(text, options);
    if (format === "json") return readJsonArray(text, options);
    return readDelimited(text, format, options);
  };
  return {
    name: file.name,
    format,
    /** Whether it is a copy of standard input or a pipe, which can be read only once. */
    isReadOnce: file.path === undefined,
    /** Known once the first record is read. */
    get shape(): InputShape {
      return text.shape;
    },
    /** Of its bytes and of how they are read, which say what its rows are; known once they are checked. */
    get hash(): string {
      return contentHash;
    },
    /** Reads all rows, in small batches. Returns a usage Failure of invalid ones, as a `refusal` too if nothing may be sent. */
    async check(onRows: (rows: readonly ReadRow[]) => void = () => {}) {
      const hash = readingHash(format, options);
      const listed: InvalidRow[] = [];
      let [rows, invalid] = [0, 0];
      for await (const batch of inBatches(read(file.chunks(hash)), options.signal)) {
        onRows(batch.map((record) => record.read));
        rows += batch.length;
        for (const { read: row } of batch) {
          if ("pet" in row) continue;
          invalid += 1;
          if (listed.length < maxListed || row.fatal !== undefined)
            listed[Math.min(listed.length, maxListed - 1)] = row;
        }
      }
      contentHash = hash.digest("hex");
      const failure = invalid > 0 ? invalidRows(listed, rows, invalid, file, options) : undefined;
      const isSendable = options.skipInvalid && listed.at(-1)?.fatal === undefined;
      return { rows, invalid, failure, refusal: isSendable ? undefined : failure };
    },
    /** Yields the valid rows in small batches. Rejects with an io Failure before the next one if the file has changed. */
    async *rows(): AsyncGenerator<readonly Row[]> {
      for await (const batch of this.records()) {
        const rows = batch.flatMap(({ read: row }) => ("pet" in row ? [row] : []));
        if (rows.length > 0) yield rows;
      }
    },
    /** Yields all records once more in small batches, valid or not. Rejects with an io Failure if the file has changed. */
    async *records(): AsyncGenerator<readonly InputRecord[]> {
      for await (const batch of inBatches(read(file.chunks()))) {
        file.assertUnchanged();
        yield batch;
      }
    },
    close: () => file.close(),
  };
}

/** Begins a hash with all options that change what rows say. Defaults count like what is given. */
function readingHash(format: InputFormat, request: InputRequest): Hash {
  const { map = [], value = [], header = true, encoding = "utf-8", ...others } = request;
  const { ignoreFields, name, category, status, items, skipLines } = others;
  const reading = { format, map, value, header, encoding, ignoreFields, items, skipLines };
  return createHash("sha256").update(stringifyExact({ ...reading, name, category, status }));
}

// With each record in memory goes the piece of text that it comes from.
const batchSize = 8;
/** How many records are read before other work of this process may go on. */
const turnSize = 100 * batchSize;

/** Yields the records up to a fatal one. Rejects with the reason of an aborted signal. */
async function* inBatches(records: Iterable<InputRecord>, signal?: AbortSignal) {
  let batch: InputRecord[] = [];
  let count = 0;
  for (const record of records) {
    count += 1;
    batch.push(record);
    if ("fatal" in record.read) break;
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
    if (count % turnSize === 0) {
      limitYoungGeneration();
      await setImmediate();
    }
    signal?.throwIfAborted();
  }
  yield batch;
}

const maxYoungBytes = 8 * 1024 * 1024;

/** Ends the growth of V8's young generation: rows live for an instant, and up to 96 MB would save no time. */
function limitYoungGeneration(): void {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  if (young !== undefined && young.space_size >= maxYoungBytes)
    setFlagsFromString("--semi-space-growth-factor=1");
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
