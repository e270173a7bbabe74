import { isUtf8 } from "node:buffer";

/** The most bytes of a piece. Larger pieces save no time, and a piece is in memory as long as its rows are read. */
const pieceSize = 2 * 1024;

const byteOrderMark = "\uFEFF";
/** The start of a ZIP file (APPNOTE.TXT 4.3.7), such as an .xlsx or .ods. */
const zipMagic = "PK\x03";
/** How an .xls begins (MS-CFB 2.2). */
const xlsMagic = "\xd0\xcf\x11";

/** What is wrong with the bytes of a text, and the flags that would help. */
export interface DecodeFault {
  readonly message: string;
  readonly cure?: readonly string[];
}

const lineEnds = /\r\n|\n|\r/g;

type LineEnd = "\n" | "\r\n" | "\r";

/** How the bytes of an input become text. */
export interface TextOptions {
  /** A label that TextDecoder knows; by default UTF-8. */
  readonly encoding?: string | undefined;
  /** How many lines to pass over at the beginning. */
  readonly skipLines?: number | undefined;
}

/**
 * Yields a text in pieces of whole characters, without a byte-order mark at the start. Stops before the first
 * byte that is not of the encoding; `fault` then says why.
 */
export class InputText implements AsyncIterable<string> {
  readonly #chunks: AsyncIterable<Buffer>;
  readonly #encoding: string;
  readonly #skipLines: number;
  #fault: DecodeFault | undefined;
  #hasByteOrderMark = false;
  #lineEnd: LineEnd | undefined;

  constructor(chunks: AsyncIterable<Buffer>, { encoding, skipLines = 0 }: TextOptions = {}) {
    this.#chunks = chunks;
    this.#encoding = new TextDecoder(encoding).encoding;
    this.#skipLines = skipLines;
  }

  /** The number of the first line, from 1. */
  get firstLine(): number {
    return this.#skipLines + 1;
  }

  /** What is wrong with the bytes after the last piece; known when there are no more pieces. */
  get fault(): DecodeFault | undefined {
    return this.#fault;
  }

  /** Known when the first piece is. */
  get hasByteOrderMark(): boolean {
    return this.#hasByteOrderMark;
  }

  /** The first line end that was read. */
  get lineEnd(): LineEnd {
    return this.#lineEnd ?? "\n";
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for await (const text of this.#afterSkipped()) {
      this.#lineEnd ??= firstLineEnd(text);
      yield text;
    }
  }

  async *#afterSkipped(): AsyncGenerator<string> {
    let left = this.#skipLines;
    let isInLineEnd = false;
    let isStart = true;
    for await (const piece of this.#encoding === "utf-8" ? this.#utf8() : this.#decoded()) {
      if (isStart) this.#hasByteOrderMark = piece.startsWith(byteOrderMark);
      const text = isStart && this.#hasByteOrderMark ? piece.slice(1) : piece;
      isStart = false;
      // The LF of a CRLF whose CR ended the last piece.
      lineEnds.lastIndex = isInLineEnd && text.startsWith("\n") ? 1 : 0;
      let from = lineEnds.lastIndex;
      for (; left > 0 && from < text.length; from = lineEnds.lastIndex || text.length)
        if (lineEnds.test(text)) left -= 1;
      if (text !== "") isInLineEnd = from === text.length && text.endsWith("\r");
      if (from < text.length) yield text.slice(from);
    }
  }

  async *#utf8(): AsyncGenerator<string> {
    let rest: Buffer = Buffer.alloc(0);
    let isStart = true;
    for await (const chunk of this.#chunks) {
      if (isStart) this.#fault = detectNonText(chunk);
      if (this.#fault !== undefined) return;
      isStart = false;
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = lastCharBoundary(bytes);
      yield* this.#pieces(bytes.subarray(0, end));
      if (this.#fault !== undefined) return;
      rest = Buffer.from(bytes.subarray(end));
    }
    if (rest.length > 0) this.#fault = notUtf8(rest);
  }

  *#pieces(bytes: Buffer): Generator<string> {
    for (let from = 0; from < bytes.length;) {
      const part = bytes.subarray(from, from + pieceSize);
      const piece = part.subarray(0, lastCharBoundary(part) || part.length);
      if (!isUtf8(piece)) {
        const valid = validLength(piece);
        if (valid > 0) yield piece.toString("utf8", 0, valid);
        this.#fault = notUtf8(piece.subarray(valid));
        return;
      }
      yield piece.toString();
      from += piece.length;
    }
  }

  /** Decodes another encoding. The second decoder finds the text before a byte that the first refuses. */
  async *#decoded(): AsyncGenerator<string> {
    const strict = new TextDecoder(this.#encoding, { fatal: true });
    const lenient = new TextDecoder(this.#encoding);
    for await (const chunk of this.#chunks) {
      for (let from = 0; from < chunk.length; from += pieceSize) {
        const piece = chunk.subarray(from, from + pieceSize);
        const text = lenient.decode(piece, { stream: true });
        if (!this.#accepts(() => strict.decode(piece, { stream: true }))) {
          yield text.slice(0, Math.max(0, text.indexOf("\uFFFD")));
          return;
        }
        yield text;
      }
    }
    this.#accepts(() => strict.decode());
  }

  #accepts(decode: () => string): boolean {
    try {
      decode();
      return true;
    } catch {
      const message = `is not valid ${this.#encoding}, and the rest of the file was not read`;
      this.#fault = { message };
      return false;
    }
  }
}

function firstLineEnd(text: string): LineEnd | undefined {
  const [end] = /\r\n|\n|\r/.exec(text) ?? [];
  return end === "\r\n" || end === "\n" || end === "\r" ? end : undefined;
}

function detectNonText(start: Buffer): DecodeFault | undefined {
  if (start.toString("latin1", 0, zipMagic.length) === zipMagic)
    return { message: "is a compressed file, such as a spreadsheet: save it as CSV" };
  if (start.toString("latin1", 0, xlsMagic.length) === xlsMagic)
    return { message: "is an Excel workbook: save it as CSV" };
  const utf16 = detectUtf16(start);
  if (utf16 === undefined) return undefined;
  return { message: `is UTF-16: ${saveAsUtf8}`, cure: ["--encoding", utf16] };
}

const saveAsUtf8 = "save the file as UTF-8";

function notUtf8(bytes: Buffer): DecodeFault {
  const byte = bytes.toString("hex", 0, 1);
  return {
    message: `is not valid UTF-8 (byte 0x${byte}), and the rest of the file was not read: ${saveAsUtf8}`,
    cure: ["--encoding", "latin1"],
  };
}

/** Detects UTF-16 by its byte-order mark, or by its first character, which is ASCII in every format. */
function detectUtf16([first, second]: Buffer): string | undefined {
  if (first === undefined || second === undefined) return undefined;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return "utf-16le";
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0)
    ? "utf-16be"
    : undefined;
}

/** Returns where the last character begins if the end of `bytes` splits it, else the end (RFC 3629, 3). */
function lastCharBoundary(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Returns the number of bytes before the first that is not valid UTF-8. */
function validLength(bytes: Buffer): number {
  let valid = 0;
  for (let invalid = bytes.length; invalid - valid > 1;) {
    const middle = (valid + invalid) >> 1;
    const whole = bytes.subarray(0, middle);
    if (isUtf8(whole.subarray(0, lastCharBoundary(whole)))) valid = middle;
    else invalid = middle;
  }
  return lastCharBoundary(bytes.subarray(0, valid));
}
