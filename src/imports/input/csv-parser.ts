import { CsvError, parse } from "../../vendor/csv-parse.ts";
import { fieldOfColumn } from "./fields.ts";
import type { DelimitedRecord } from "./delimited-rows.ts";
import { maxRowBytes, rowTooLong } from "./row.ts";
import { pieceSize } from "./utf8.ts";

/** The records that end in a part of the text, and the reason if no more can follow. */
export interface CsvBatch {
  readonly records: readonly DelimitedRecord[];
  readonly fault: string | undefined;
}

/** Parses a CSV text (RFC 4180; lines may also end with LF or CR) that comes in parts. */
export class CsvRecords {
  readonly #parser: ReturnType<typeof parse>;
  #records: DelimitedRecord[] = [];
  /** In turn: the parser refers to the last part, and a new copy of each takes megabytes before V8 frees it. */
  readonly #copies = [Buffer.alloc(pieceSize), Buffer.alloc(pieceSize)];
  #line = 1;
  #size = 0;
  /** How many bytes come before the unfinished record. */
  #ended = 0;

  constructor(delimiter: string) {
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

  /** Parses the next part of the text: whole characters. None may follow a fault. */
  async push(bytes: Uint8Array): Promise<CsvBatch> {
    this.#size += bytes.length;
    const error = await new Promise<unknown>(
      (done) => void this.#parser.write(this.#copyOf(bytes), done),
    );
    const fault = error
      ? faultOf(error)
      : this.#size - this.#ended > maxRowBytes
        ? unterminatedQuote
        : undefined;
    return this.#take(fault);
  }

  /** Returns the records that have ended, if no more of the text can be read. */
  async finishTruncated(): Promise<CsvBatch> {
    // The parser looks a few characters ahead before it ends a record.
    const { records } = await this.push(Buffer.from("x".repeat(8)));
    return { records, fault: undefined };
  }

  /** Parses the end of the text. */
  async end(): Promise<CsvBatch> {
    const error = await new Promise<unknown>((done) => void this.#parser.end(done));
    return this.#take(error ? faultOf(error) : undefined);
  }

  #copyOf(bytes: Uint8Array): Uint8Array {
    this.#copies.reverse();
    const [copy] = this.#copies;
    if (copy === undefined || bytes.length > copy.length) return Buffer.from(bytes);
    copy.set(bytes);
    return copy.subarray(0, bytes.length);
  }

  #take(fault: string | undefined): CsvBatch {
    const batch = { records: this.#records, fault };
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
 * Returns the delimiter of a CSV text: the one that separates most known column names in its header,
 * then the most frequent one. `text` is the beginning, or all if `isWhole`; returns undefined if
 * more of it is needed.
 */
export function detectDelimiter(
  text: string,
  { isWhole }: { readonly isWhole: boolean },
): string | undefined {
  const header = firstLine(text);
  const isPartial = header === undefined || text.endsWith(header);
  if (isPartial && !isWhole && text.length < maxRowBytes) return undefined;
  const scores = delimiters.map((delimiter) => scoreOf(header ?? "", delimiter));
  return delimiters[scores.indexOf(Math.max(...scores))];
}

/** Returns the first line that has more than empty values, without its end. */
function firstLine(text: string): string | undefined {
  const start = text.search(/[^\s,;"]/);
  if (start === -1) return undefined;
  const before = text.slice(0, start);
  const lineStart = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
  return /[^\r\n]*/.exec(text.slice(lineStart))?.[0];
}

function scoreOf(header: string, delimiter: string): number {
  const cells = header.split(delimiter);
  const known = cells.filter(
    (cell) => fieldOfColumn(cell.trim().replace(/^"(.*)"$/, "$1")) !== undefined,
  );
  return known.length + Math.min(cells.length - 1, 999) / 1000;
}
