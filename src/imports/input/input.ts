import { createHash } from "node:crypto";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { usageFailure } from "../../core/errors.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { type NewPetField, petFieldNames } from "../../core/pet-fields.ts";
import type {
  InputFormat,
  InputRecord,
  InputRequest,
  Path,
  ReadOptions,
  ReadRow,
  Row,
} from "../types.ts";
import { parseColumnMap, type RowOptions } from "./columns.ts";
import { readDelimited } from "./delimited.ts";
import { addFacts, addRepeatedKeys, noFacts, type RepeatedKeys } from "./facts.ts";
import { findArray, readJson } from "./json.ts";
import { type InputFile, openFile } from "./open.ts";
import { parseValueMap } from "./row.ts";
import { InputText } from "./text.ts";

/** The rows of a file, to be checked and then sent. */
export type ImportInput = ReturnType<typeof inputOf>;

/** Opens an input. Rejects with a usage or an io Failure, or the reason of an aborted `signal`. */
export async function openInput(request: InputRequest): Promise<ImportInput> {
  const { from, stdin, signal, map = [], value = [], key, name, category, status } = request;
  const defaults: Record<NewPetField, unknown> = { name, categoryId: category, status };
  const hasDefaults = Object.values(defaults).some((given) => given !== undefined);
  const keyPath: Path | undefined = key ? { flag: "--key", name: key, isFound: false } : undefined;
  const maps = { columnMap: parseColumnMap(map), valueMap: parseValueMap(value), keyPath };
  const file = await openFile(from, stdin, signal);
  try {
    const format =
      request.format ??
      formatsByExtension[path.extname(from).toLowerCase()] ??
      formatByStart(file, request);
    assertFits(request, format);
    const text = new InputText(file.chunks(), request.encoding);
    const isWhole = format.endsWith("json") && request.items === undefined;
    const wrapped = isWhole ? findArray(text) : undefined;
    const found = { wrapped, defaults: hasDefaults ? defaults : undefined };
    return inputOf(file, format, { ...request, ...maps, ...found });
  } catch (error) {
    file.close();
    throw error;
  }
}

function inputOf(file: InputFile, format: InputFormat, options: InputRequest & RowOptions) {
  const read = (text: InputText): Iterable<InputRecord> => {
    const isJson = format === "ndjson" || format === "json";
    if (isJson) return readJson(text, format, options);
    return readDelimited(text, format === "tsv" ? "tsv" : "csv", options);
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
    path: file.path,
    format,
    /** Whether it is a copy of standard input or a pipe, which can be read only once. */
    isReadOnce: file.path === undefined,
    /** Reads all rows, in batches, and returns their facts. `onEnd` returns those that repeat a key. */
    async check(
      onRows: (rows: readonly ReadRow[]) => void = () => {},
      onEnd: () => RepeatedKeys = () => ({ count: 0, first: [] }),
    ) {
      const hash = createHash("sha256").update(stringifyExact(readingOf(format, options)));
      const text = new InputText(file.chunks(hash), options.encoding);
      const facts = noFacts();
      for await (const batch of inBatches(read(text), text)) {
        options.signal.throwIfAborted();
        onRows(batch.map((record) => record.read));
        for (const record of batch) addFacts(facts, record);
      }
      addRepeatedKeys(facts, onEnd());
      const { rows, invalid } = facts;
      // The hash is of its bytes and of how they are read, which say what its rows are.
      return { rows, invalid, facts, shape: text.shape, hash: hash.digest("hex") };
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
  const { map = [], value = [], header = true, encoding = "utf-8" } = options;
  const { ignoreFields, items, skipLines, name, category, status, key, repeats } = options;
  const reading = { format, map, value, header, encoding, ignoreFields, items, skipLines };
  return { ...reading, name, category, status, key, repeats };
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
  ".xlsx": "xlsx",
};

const tsvColumns: ReadonlySet<string> = new Set(petFieldNames);
// TSV is what has a header as `pets list -o tsv` writes it; spreadsheets end it with CRLF.
function formatByStart(file: InputFile, { items, encoding }: InputRequest): InputFormat {
  const lines = new InputText(file.chunks(), encoding).lines();
  const first = lines.find(({ text }) => text?.trim() !== "");
  const start = first?.text?.trimStart() ?? "";
  if (start.startsWith("[")) return "json";
  // A pretty-printed object goes on in the next line, and another value may follow in this one.
  const isLine = start.trimEnd().endsWith("}") && !/\}\s*\{/.test(start);
  if (start.startsWith("{")) return items === undefined && isLine ? "ndjson" : "json";
  const header = start.split("\t");
  const isTsv =
    header.length > 1 && first?.end !== "\r\n" && header.every((name) => tsvColumns.has(name));
  return isTsv ? "tsv" : "csv";
}
