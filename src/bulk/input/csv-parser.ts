import { CsvError, parse } from "../../vendor/csv-parse.ts";
import { maxRowBytes, rowFields, rowTooLong } from "./row.ts";

/** A record of a CSV text. */
export interface CsvRecord {
  /** Where it begins, from 1; a line end within quotes begins a line too. */
  readonly line: number;
  readonly cells: readonly string[];
  /** In bytes, its line end included. */
  readonly size: number;
}

/** The records that end in a part of the text, and why none can follow them. */
export interface CsvBatch {
  readonly records: readonly CsvRecord[];
  readonly fault: string | undefined;
}

/** Makes records of a CSV text (RFC 4180; lines may also end with LF or CR) that comes in parts. */
export class CsvRecords {
  readonly #parser: ReturnType<typeof parse>;
  #records: CsvRecord[] = [];
  #line = 1;
  #size = 0;
  /** How many bytes lie before the record that has not ended yet. */
  #ended = 0;

  constructor(separator: string) {
    this.#parser = parse({
      bom: false,
      delimiter: separator,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      // Answering nothing keeps the record out of the parser's own stream.
      on_record: (cells: string[], { bytes }) => this.#add(cells, bytes),
    }).on("error", () => {});
  }

  /** Where the record begins that has not ended yet. */
  get line(): number {
    return this.#line;
  }

  /** The next part of the text: whole characters. None may follow a fault. */
  async push(bytes: Uint8Array): Promise<CsvBatch> {
    this.#size += bytes.length;
    const error = await new Promise<unknown>(
      (done) => void this.#parser.write(Buffer.from(bytes), done),
    );
    const fault = error
      ? faultOf(error)
      : this.#size - this.#ended > maxRowBytes
        ? unterminatedQuote
        : undefined;
    return this.#take(fault);
  }

  /** The records that have ended, where no more of the text can be read. */
  async finishTruncated(): Promise<CsvBatch> {
    // The parser looks a few characters ahead before it ends a record.
    const { records } = await this.push(Buffer.from("x".repeat(8)));
    return { records, fault: undefined };
  }

  /** The end of the text. */
  async end(): Promise<CsvBatch> {
    const error = await new Promise<unknown>((done) => void this.#parser.end(done));
    return this.#take(error ? faultOf(error) : undefined);
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

const remainderSkipped = "; nothing behind it was read";
const unterminatedQuote = `${rowTooLong}, and may begin with a quote that is never closed${remainderSkipped}`;

const faults: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE: "has a quote within a value: put all of it in quotes, and double its own",
  CSV_INVALID_CLOSING_QUOTE: "has text behind a closing quote: double each quote within a value",
  CSV_QUOTE_NOT_CLOSED: "begins with a quote that is never closed",
};

function faultOf(error: unknown): string {
  if (!(error instanceof CsvError)) throw error;
  return (faults[error.code] ?? `is not valid CSV: ${error.message}`) + remainderSkipped;
}

/** What a spreadsheet may put between values, by the language that it is set to. */
const separators = [",", ";", "\t"] as const;

const names: ReadonlySet<string> = new Set(rowFields);

/**
 * What stands between the values of a CSV text, by its header: that which sets most column names
 * apart, then that which is there most often. `text` is its beginning, or all where `isWhole`;
 * undefined where more of it is needed to tell.
 */
export function detectDelimiter(
  text: string,
  { isWhole }: { readonly isWhole: boolean },
): string | undefined {
  const header = firstLine(text);
  const isCut = header === undefined || text.endsWith(header);
  if (isCut && !isWhole && text.length < maxRowBytes) return undefined;
  const scores = separators.map((separator) => scoreOf(header ?? "", separator));
  return separators[scores.indexOf(Math.max(...scores))];
}

/** The first line that has more than empty values, without its end. */
function firstLine(text: string): string | undefined {
  const place = text.search(/[^\s,;"]/);
  if (place === -1) return undefined;
  const before = text.slice(0, place);
  const start = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
  return /[^\r\n]*/.exec(text.slice(start))?.[0];
}

function scoreOf(header: string, separator: string): number {
  const cells = header.split(separator);
  const known = cells.filter((cell) => names.has(cell.replace(/^"(.*)"$/, "$1")));
  return known.length + Math.min(cells.length - 1, 999) / 1000;
}
