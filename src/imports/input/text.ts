import { type Line, LineSplitter } from "../../core/lines.ts";
import type { InputShape, RowFault } from "../types.ts";
import { maxRowBytes } from "./row.ts";

/** The most bytes of a piece. Larger ones save no time, and V8's heap grows by what it finds in use again and again. */
const pieceSize = 256;

/** The text of an input, up to the first byte that is not of its encoding. */
export class InputText implements Iterable<string> {
  readonly #chunks: Iterable<Buffer>;
  readonly #encoding: string;
  /** What is wrong with the bytes after the last piece, or line; known when there are no more of them. */
  fault: RowFault | undefined;
  /** How it is written, as far as it has been read. */
  shape: InputShape = { lineEnd: "\n", hasByteOrderMark: false };

  /** `encoding` is a label that TextDecoder knows. */
  constructor(chunks: Iterable<Buffer>, encoding = "utf-8") {
    this.#chunks = chunks;
    this.#encoding = encoding;
  }

  /** Yields the lines. One with bytes that are not of the encoding is the last, and has no text. */
  *lines(): Generator<Line> {
    const lines = new LineSplitter(maxRowBytes);
    for (const piece of this) yield* lines.push(piece);
    if (this.fault === undefined) yield* lines.end();
    else yield { number: lines.number, text: undefined, end: "" };
  }

  /** Yields the text in pieces, without a byte-order mark. */
  *[Symbol.iterator](): Generator<string> {
    const decoder = new TextDecoder(this.#encoding, { fatal: true });
    let before: Buffer | undefined;
    for (const chunk of this.#chunks) {
      if (before === undefined) this.#detect(chunk, decoder);
      for (let from = 0; from < chunk.length && this.fault === undefined; from += pieceSize) {
        const piece = chunk.subarray(from, from + pieceSize);
        const text = decode(decoder, piece);
        yield text ?? validText(decoder, before, piece);
        if (text === undefined) this.fault = notDecodable(decoder);
        before = piece;
      }
      if (this.fault !== undefined) return;
      // The next chunk overwrites this one.
      before = Buffer.from(before ?? "");
    }
    if (decode(decoder) === undefined) this.fault = notDecodable(decoder);
  }

  /** Takes from the first bytes what they are. */
  #detect(chunk: Buffer, { encoding }: TextDecoder): void {
    const start = chunk.toString("latin1", 0, 3);
    const isUtf8 = encoding === "utf-8";
    const isMarked = start === "\xef\xbb\xbf";
    // Results are UTF-8: their mark keeps them from being read again in another encoding.
    if (isMarked || !isUtf8) this.shape = { ...this.shape, hasByteOrderMark: true };
    if (isUtf8) this.fault = nonText.find(([pattern]) => pattern.test(start))?.[1];
    else if (isMarked) this.fault = notEncoded(encoding);
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

/** Returns the text of a piece before the first byte that is not of the encoding; `before` are the bytes before it. */
function validText({ encoding }: TextDecoder, before: Buffer | undefined, piece: Buffer): string {
  const lenient = new TextDecoder(encoding);
  lenient.decode(before, { stream: true });
  const text = lenient.decode(piece, { stream: true });
  return text.slice(0, Math.max(0, text.indexOf("\uFFFD")));
}

/** Returns the fault of bytes after which nothing can be read; an encoding that would help is named. */
function unreadable(message: string, encoding?: string): RowFault {
  if (encoding === undefined) return { message, fatal: "content" };
  const how = '"CSV UTF-8" in Excel, "Unicode (UTF-8)" among the filter settings of LibreOffice';
  const cure = [["--encoding", encoding]];
  return { message: `${message}: save the file as UTF-8 (${how})`, fatal: "content", cure };
}

function notDecodable({ encoding }: TextDecoder): RowFault {
  const reason = "and the rest of the file was not read";
  if (encoding !== "utf-8") return unreadable(`is not valid ${encoding}, ${reason}`);
  return unreadable(`is not valid UTF-8, ${reason}`, "latin1");
}

function notEncoded(encoding: string): RowFault {
  const results = "a results file is UTF-8 and begins with its header";
  return unreadable(`is UTF-8, not ${encoding}: leave out --encoding; ${results}`);
}

/**
 * What a file is by its first bytes: ZIP (APPNOTE.TXT 4.3.7), such as .xlsx and .ods, .xls (MS-CFB 2.2), and UTF-16 by
 * its byte-order mark, or by its first character, which is ASCII in every format.
 */
const nonText: readonly (readonly [RegExp, RowFault])[] = [
  [/^PK\x03/, unreadable("is a compressed file, such as a spreadsheet: save it as CSV")],
  [/^\xd0\xcf\x11/, unreadable("is an Excel workbook: save it as CSV")],
  [/^(?:\xff\xfe|[^\0]\0)/, unreadable("is UTF-16", "utf-16le")],
  [/^(?:\xfe\xff|\0[^\0])/, unreadable("is UTF-16", "utf-16be")],
];
