import { isUtf8 } from "node:buffer";

/** The most bytes of a piece. Larger pieces save no time, and all rows of a piece are in memory at once. */
export const pieceSize = 8 * 1024;

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
/** The start of a ZIP file (APPNOTE.TXT 4.3.7), such as an .xlsx or .ods. */
const zipMagic = "PK\x03";
/** How an .xls begins (MS-CFB 2.2). */
const xlsMagic = "\xd0\xcf\x11";

/**
 * Yields the bytes of a UTF-8 text in pieces of whole characters, without a byte-order mark at the
 * start. Stops at the first byte that is not UTF-8; `decodeError` then says why. Each piece is
 * overwritten by later ones.
 */
export class Utf8Text implements AsyncIterable<Buffer> {
  readonly #chunks: AsyncIterable<Buffer>;
  #decodeError: string | undefined;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks;
  }

  /** What is wrong with the bytes after the last piece; known when there are no more pieces. */
  get decodeError(): string | undefined {
    return this.#decodeError;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    let rest: Buffer = Buffer.alloc(0);
    for await (const bytes of skipByteOrderMark(this.#chunks)) {
      if (typeof bytes === "string") {
        this.#decodeError = bytes;
        return;
      }
      const text = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const end = lastCharBoundary(text);
      yield* this.#pieces(text.subarray(0, end));
      if (this.#decodeError !== undefined) return;
      rest = Buffer.from(text.subarray(end));
    }
    if (rest.length > 0) this.#decodeError = notUtf8(rest);
  }

  *#pieces(bytes: Buffer): Generator<Buffer> {
    for (let from = 0; from < bytes.length;) {
      const part = bytes.subarray(from, from + pieceSize);
      const piece = part.subarray(0, lastCharBoundary(part) || part.length);
      if (!isUtf8(piece)) {
        const good = validLength(piece);
        if (good > 0) yield piece.subarray(0, good);
        this.#decodeError = notUtf8(piece.subarray(good));
        return;
      }
      yield piece;
      from += piece.length;
    }
  }
}

/** Yields the chunks without a byte-order mark, or a message if the first bytes are not text. */
async function* skipByteOrderMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer | string> {
  let start: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (start === undefined) yield chunk;
    else start = Buffer.concat([start, chunk]);
    if (start === undefined || start.length < byteOrderMark.length) continue;
    yield detectNonText(start) ?? withoutMark(start);
    start = undefined;
  }
  if (start !== undefined) yield detectNonText(start) ?? start;
}

function detectNonText(start: Buffer): string | undefined {
  if (start.toString("latin1", 0, zipMagic.length) === zipMagic)
    return "is a compressed file, such as a spreadsheet: save it as CSV";
  if (start.toString("latin1", 0, xlsMagic.length) === xlsMagic)
    return "is an Excel workbook: save it as CSV";
  return isUtf16(start) ? `is UTF-16: ${saveAsUtf8}` : undefined;
}

const saveAsUtf8 = "save the file as UTF-8";

/** Returns whether a message is about a text in another encoding. */
export function isOtherEncoding(message: string): boolean {
  return message.endsWith(saveAsUtf8);
}

function notUtf8(bytes: Buffer): string {
  const byte = bytes.toString("hex", 0, 1);
  return `is not valid UTF-8 (byte 0x${byte}), and the rest of the file was not read: ${saveAsUtf8}`;
}

/** Detects UTF-16 by its byte-order mark, or by its first character, which is ASCII in every format. */
function isUtf16([first, second]: Buffer): boolean {
  if (first === 0xff && second === 0xfe) return true;
  if (first === 0xfe && second === 0xff) return true;
  return second !== undefined && (first === 0) !== (second === 0);
}

function withoutMark(bytes: Buffer): Buffer {
  const { length } = byteOrderMark;
  return bytes.subarray(0, length).equals(byteOrderMark) ? bytes.subarray(length) : bytes;
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
