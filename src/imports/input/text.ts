import type { InputRecord, InputShape, RowFault } from "../types.ts";

/** The most bytes of a piece. Larger ones save no time, and V8's heap grows by what it finds in use again and again. */
const pieceSize = 512;

const byteOrderMark = "\uFEFF";

/** Yields a text in pieces, without a byte-order mark, up to the first byte that is not of the encoding. */
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
    const decoder = new TextDecoder(this.#encoding, { fatal: true, ignoreBOM: true });
    let before: Buffer | undefined;
    let isStart = true;
    for await (const chunk of this.#chunks) {
      if (before === undefined && decoder.encoding === "utf-8") this.fault = detectNonText(chunk);
      for (let from = 0; from < chunk.length && this.fault === undefined; from += pieceSize) {
        const piece = chunk.subarray(from, from + pieceSize);
        const decoded = decode(decoder, piece);
        if (decoded === undefined) this.fault = notDecodable(decoder.encoding);
        const text = decoded ?? validText(decoder.encoding, before, piece);
        if (isStart) this.hasByteOrderMark = text.startsWith(byteOrderMark);
        yield isStart && this.hasByteOrderMark ? text.slice(1) : text;
        if (text !== "") isStart = false;
        before = piece;
      }
      if (this.fault !== undefined) return;
      before = Buffer.from(before ?? "");
    }
    if (decode(decoder) === undefined) this.fault = notDecodable(decoder.encoding);
  }
}

/** Decodes the next bytes, or the end; returns undefined for bytes that are not of the encoding. */
function decode(decoder: TextDecoder, piece?: Buffer): string | undefined {
  try {
    return decoder.decode(piece, { stream: piece !== undefined });
  } catch {
    return undefined;
  }
}

/** Returns the text of a piece before the first byte that is not of the encoding; `before` is the piece before it. */
function validText(encoding: string, before: Buffer | undefined, piece: Buffer): string {
  const lenient = new TextDecoder(encoding, { ignoreBOM: true });
  lenient.decode(before, { stream: true });
  const text = lenient.decode(piece, { stream: true });
  return text.slice(0, Math.max(0, text.indexOf("\uFFFD")));
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

function notDecodable(encoding: string): RowFault {
  const reason = "and the rest of the file was not read";
  if (encoding !== "utf-8") return { message: `is not valid ${encoding}, ${reason}` };
  return {
    message: `is not valid UTF-8, ${reason}: ${saveAsUtf8}`,
    cure: [["--encoding", "latin1"]],
  };
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
