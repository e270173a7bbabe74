import { CsvError, parse } from "../../vendor/csv-parse.ts";
import { fieldOfColumn, normalize } from "./fields.ts";
import type { DelimitedRecord } from "./delimited-rows.ts";
import { maxRowBytes, type RowOptions, rowTooLong } from "./row.ts";

/** How many characters are parsed at a time: their records are in memory together. */
const partLength = 256;

/** The records that end in a part of the text, and the reason if no more can follow. */
export interface CsvBatch {
  readonly records: readonly DelimitedRecord[];
  /** The line on which the unfinished record begins. */
  readonly line: number;
  readonly fault: string | undefined;
}

/** Parses a CSV text (RFC 4180; lines may also end with LF or CR) that comes in parts. */
export class CsvRecords {
  readonly #parser: ReturnType<typeof parse>;
  #records: DelimitedRecord[] = [];
  /** In turn: the parser refers to the last part, and a new copy of each takes megabytes before V8 frees it. */
  readonly #copies = [Buffer.alloc(3 * partLength), Buffer.alloc(3 * partLength)];
  #line: number;
  #size = 0;
  /** How many bytes come before the unfinished record. */
  #ended = 0;

  /** `line` is the number of the first line. */
  constructor(delimiter: string, line = 1) {
    this.#line = line;
    this.#parser = parse({
      bom: false,
      delimiter,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      // Returning nothing keeps the record out of the parser's own output stream.
      on_record: (cells: string[], { bytes }) => this.#add(cells, bytes),
    }).on("error", () => {});
  }

  /** The line on which the unfinished record begins. */
  get line(): number {
    return this.#line;
  }

  /** Parses the next part of the text, and yields its records a few at a time. None may follow a fault. */
  async *push(text: string): AsyncGenerator<CsvBatch> {
    for (let from = 0; from < text.length;) {
      // The halves of a surrogate pair stay together.
      const isInPair = text.slice(from, from + partLength).isWellFormed();
      const end = from + partLength + (isInPair ? 0 : 1);
      yield await this.#write(text.slice(from, end));
      from = end;
    }
  }

  /** Returns the records that have ended, if no more of the text can be read. */
  async finishTruncated(): Promise<CsvBatch> {
    // The parser looks a few characters ahead before it ends a record.
    return { ...(await this.#write("x".repeat(8))), fault: undefined };
  }

  /** Parses the end of the text. */
  async end(): Promise<CsvBatch> {
    const error = await new Promise<unknown>((done) => void this.#parser.end(done));
    return this.#take(error ? faultOf(error) : undefined);
  }

  async #write(text: string): Promise<CsvBatch> {
    this.#copies.reverse();
    const [copy = Buffer.alloc(0)] = this.#copies;
    const bytes = copy.subarray(0, copy.write(text));
    this.#size += bytes.length;
    const error = await new Promise<unknown>((done) => void this.#parser.write(bytes, done));
    const fault = error
      ? faultOf(error)
      : this.#size - this.#ended > maxRowBytes
        ? unterminatedQuote
        : undefined;
    return this.#take(fault);
  }

  #take(fault: string | undefined): CsvBatch {
    const batch = { records: this.#records, line: this.#line, fault };
    this.#records = [];
    return batch;
  }

  #add(cells: string[], end: number): undefined {
    this.#records.push({ line: this.#line, cells, size: end - this.#ended });
    this.#ended = end;
    this.#line += 1;
    for (const cell of cells) this.#line += lineEndsIn(cell);
  }
}

function lineEndsIn(cell: string): number {
  if (!cell.includes("\n") && !cell.includes("\r")) return 0;
  return cell.match(/\r\n|\n|\r/g)?.length ?? 0;
}

const remainderSkipped = "; the rest of the file was not read";
const unterminatedQuote = `${rowTooLong}, and may begin with a quote that is never closed${remainderSkipped}`;

const faults: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE:
    "has a quote inside a value: quote the whole value, and double the quotes inside",
  CSV_INVALID_CLOSING_QUOTE: "has text after a closing quote: double each quote inside a value",
  CSV_QUOTE_NOT_CLOSED: "begins with a quote that is never closed",
};

function faultOf(error: unknown): string {
  if (!(error instanceof CsvError)) throw error;
  return (faults[error.code] ?? `is not valid CSV: ${error.message}`) + remainderSkipped;
}

/** The delimiters that spreadsheets use, depending on their language. */
const delimiters = [",", ";", "\t"] as const;

/**
 * Returns the delimiter of a CSV text: the one that separates most columns in its header that are known or
 * named by `--map`, then the most frequent one. `text` is the beginning, or all if `isWhole`; returns
 * undefined if more of it is needed.
 */
export function detectDelimiter(
  text: string,
  { isWhole, columnMap }: { readonly isWhole: boolean } & Pick<RowOptions, "columnMap">,
): string | undefined {
  const header = firstLine(text);
  const isPartial = header === undefined || text.endsWith(header);
  if (isPartial && !isWhole && text.length < maxRowBytes) return undefined;
  const scores = delimiters.map((delimiter) => {
    const cells = (header ?? "").split(delimiter).map(unquoted);
    const known = cells.filter(
      (cell) => fieldOfColumn(cell) !== undefined || columnMap?.has(normalize(cell)) === true,
    );
    return known.length + Math.min(cells.length - 1, 999) / 1000;
  });
  return delimiters[scores.indexOf(Math.max(...scores))];
}

function unquoted(cell: string): string {
  return cell.trim().replace(/^"(.*)"$/, "$1");
}

/** Returns the first line that has more than empty values, without its end. */
function firstLine(text: string): string | undefined {
  const start = text.search(/[^\s,;"]/);
  if (start === -1) return undefined;
  const before = text.slice(0, start);
  const lineStart = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
  return /[^\r\n]*/.exec(text.slice(lineStart))?.[0];
}
