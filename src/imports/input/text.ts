import type { InputRecord, InputShape, RowFault } from "../types.ts";

/** The most bytes of a piece. Larger pieces save no time, and a piece is in memory as long as its rows are read. */
const pieceSize = 1024;

const byteOrderMark = "\uFEFF";
const replacement = "\uFFFD";

/**
 * Yields a text in pieces of whole characters, without a byte-order mark at the start. Stops before the first
 * byte that is not of the encoding; `fault` then says why.
 */
export class InputText implements AsyncIterable<string> {
  readonly #chunks: AsyncIterable<Buffer>;
  readonly #encoding: string;
  /** What is wrong with the bytes after the last piece; known when there are no more pieces. */
  fault: RowFault | undefined;
  /** Known when the first piece is. */
  hasByteOrderMark = false;

  /** `encoding` is a label that TextDecoder knows. */
  constructor(chunks: AsyncIterable<Buffer>, encoding = "utf-8") {
    this.#chunks = chunks;
    this.#encoding = encoding;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    const strict = new TextDecoder(this.#encoding, { fatal: true, ignoreBOM: true });
    // Finds the text before a byte that the first one refuses.
    const lenient = new TextDecoder(this.#encoding, { ignoreBOM: true });
    let isFirstChunk = true;
    let isStart = true;
    for await (const chunk of this.#chunks) {
      if (isFirstChunk && strict.encoding === "utf-8") this.fault = detectNonText(chunk);
      isFirstChunk = false;
      for (let from = 0; from < chunk.length && this.fault === undefined; from += pieceSize) {
        const piece = chunk.subarray(from, from + pieceSize);
        const text = lenient.decode(piece, { stream: true });
        if (isStart) this.hasByteOrderMark = text.startsWith(byteOrderMark);
        const start = isStart && this.hasByteOrderMark ? 1 : 0;
        if (text !== "") isStart = false;
        this.fault = faultIn(strict, piece);
        const end = this.fault === undefined ? text.length : text.indexOf(replacement);
        if (end > start) yield text.slice(start, end);
      }
      if (this.fault !== undefined) return;
    }
    this.fault = faultIn(strict);
  }
}

/** Makes records of a text, which comes in pieces. */
export interface RecordReader {
  /** What the input shows of its shape; known with the first record. */
  readonly shape?: Partial<InputShape>;
  /** Yields the records that end in the next piece, which all have to be taken before the next one. */
  push(piece: string): Iterable<InputRecord>;
  /** Yields the last records, and what is wrong at the end of the text, which may be a `fault` of its bytes. */
  end(fault: RowFault | undefined): Iterable<InputRecord>;
}

/** Yields the records of a text, the last one being that after which no more can be read. */
export async function* readRecords(
  text: InputText,
  reader: RecordReader,
): AsyncGenerator<Iterable<InputRecord>> {
  let isDone = false;
  const untilFatal = function* (records: Iterable<InputRecord>): Generator<InputRecord> {
    for (const record of records) {
      yield record;
      isDone = "fatal" in record.read;
      if (isDone) return;
    }
  };
  for await (const piece of text) {
    yield untilFatal(reader.push(piece));
    if (isDone) return;
  }
  yield untilFatal(reader.end(text.fault));
}

/** Decodes the next bytes, or the end; returns what is wrong with them. */
function faultIn(decoder: TextDecoder, piece?: Buffer): RowFault | undefined {
  try {
    decoder.decode(piece, { stream: piece !== undefined });
    return undefined;
  } catch {
    const isUtf8 = decoder.encoding === "utf-8";
    const name = isUtf8 ? "UTF-8" : decoder.encoding;
    const message = `is not valid ${name}, and the rest of the file was not read`;
    return isUtf8
      ? { message: `${message}: ${saveAsUtf8}`, cure: [["--encoding", "latin1"]] }
      : { message };
  }
}

const saveAsUtf8 = "save the file as UTF-8";

/** What a file is by its first bytes: ZIP (APPNOTE.TXT 4.3.7), such as .xlsx and .ods, and .xls (MS-CFB 2.2). */
const magic = [
  ["PK\x03", "is a compressed file, such as a spreadsheet: save it as CSV"],
  ["\xd0\xcf\x11", "is an Excel workbook: save it as CSV"],
] as const;

function detectNonText(start: Buffer): RowFault | undefined {
  const text = start.toString("latin1", 0, 3);
  const message = magic.find(([bytes]) => text.startsWith(bytes))?.[1];
  if (message !== undefined) return { message };
  const utf16 = detectUtf16(start);
  if (utf16 === undefined) return undefined;
  return { message: `is UTF-16: ${saveAsUtf8}`, cure: [["--encoding", utf16]] };
}

/** Detects UTF-16 by its byte-order mark, or by its first character, which is ASCII in every format. */
function detectUtf16([first, second]: Buffer): string | undefined {
  if (first === undefined || second === undefined) return undefined;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return "utf-16le";
  const isBigEndian = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  return isBigEndian ? "utf-16be" : undefined;
}
