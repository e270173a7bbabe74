import { isSystemError } from "../../core/errors.ts";
import { type Line, LineSplitter } from "../../core/lines.ts";
import type { InputShape, RowFault } from "../types.ts";
import { maxRowBytes } from "./row.ts";

/** The text of an input, up to the first byte that is not of its encoding. */
export class InputText implements Iterable<string> {
  readonly #bytes: Iterable<Buffer>;
  readonly #encoding: string;
  /** What is wrong with the bytes after the last piece or line; known when there are no more of them. */
  fault: RowFault | undefined;
  /** How it is written, as far as it has been read. */
  shape: InputShape = { lineEnd: "\n", hasByteOrderMark: false };
  /** How many chunks have been read. */
  chunks = 0;

  constructor(bytes: Iterable<Buffer>, encoding = "utf-8") {
    this.#bytes = bytes;
    this.#encoding = new TextDecoder(encoding).encoding;
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
    const decoder = new TextDecoder(this.#encoding);
    // It tells that a byte is wrong, but not where.
    const strict = new TextDecoder(this.#encoding, { fatal: true });
    let isStart = true;
    let text = "";
    try {
      for (const chunk of this.#bytes) {
        this.chunks += 1;
        if (isStart) this.#detect(chunk.toString("latin1", 0, 3));
        if (this.fault !== undefined) return;
        isStart = false;
        text = decoder.decode(chunk, { stream: true });
        strict.decode(chunk, { stream: true });
        yield text;
        text = "";
      }
      strict.decode();
    } catch (error) {
      if (!isSystemError(error, "ERR_ENCODING_INVALID_ENCODED_DATA")) throw error;
      yield text.slice(0, text.indexOf("\uFFFD"));
      const message = `invalid ${this.#encoding.toUpperCase()}; the rest of the file was not read`;
      const cure = this.#encoding === "utf-8" ? [["--encoding", "latin1"]] : [];
      this.fault = { message, fatal: "content", cure };
    }
  }

  #detect(start: string): void {
    const isUtf8 = this.#encoding === "utf-8";
    const isMarked = start === "\xef\xbb\xbf";
    // Results are UTF-8: their mark keeps them from being read again in another encoding.
    this.shape = { ...this.shape, hasByteOrderMark: isMarked || !isUtf8 };
    const message = `is UTF-8, not ${this.#encoding}; leave out --encoding`;
    if (isUtf8) this.fault = nonText.find(([pattern]) => pattern.test(start))?.[1];
    else if (isMarked) this.fault = { message, fatal: "file" };
  }
}

const utf16 = (encoding: string): RowFault => ({
  message: 'is UTF-16, not UTF-8; save it as "CSV UTF-8"',
  cure: [["--encoding", encoding]],
  fatal: "file",
});

const spreadsheet: RowFault = {
  message: "is a spreadsheet, not text; save it as CSV",
  fatal: "file",
};

/**
 * What a file is by its first bytes: ZIP (APPNOTE.TXT 4.3.7), such as .xlsx and .ods, .xls (MS-CFB 2.2), and UTF-16 by
 * its byte-order mark, or by its first character, which is ASCII in every format.
 */
const nonText: readonly (readonly [RegExp, RowFault])[] = [
  [/^(?:PK\x03|\xd0\xcf\x11)/, spreadsheet],
  [/^(?:\xff\xfe|[^\0]\0)/, utf16("utf-16le")],
  [/^(?:\xfe\xff|\0[^\0])/, utf16("utf-16be")],
];
