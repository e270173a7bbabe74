import type { TextDecoder as Decoder } from "node:util";
import { type Line, LineSplitter } from "../../core/lines.ts";
import type { InputShape, RowFault } from "../types.ts";
import { maxRowBytes } from "./row.ts";

/** More bytes than a character takes in any encoding. */
const maxCharBytes = 16;

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
      if (this.fault !== undefined) return;
      const text = decode(decoder, chunk);
      yield text ?? validText(decoder, before, chunk);
      if (text === undefined) this.fault = notDecodable(decoder);
      // A copy, as the next chunk overwrites this one.
      before = Buffer.from(chunk.subarray(-maxCharBytes));
    }
    if (decode(decoder) === undefined) this.fault ??= notDecodable(decoder);
  }

  /** Takes from the first bytes what they are. */
  #detect(chunk: Buffer, { encoding }: Decoder): void {
    const start = chunk.toString("latin1", 0, 3);
    const isUtf8 = encoding === "utf-8";
    const isMarked = start === "\xef\xbb\xbf";
    // Results are UTF-8: their mark keeps them from being read again in another encoding.
    if (isMarked || !isUtf8) this.shape = { ...this.shape, hasByteOrderMark: true };
    if (isUtf8) this.fault = nonText.find(([pattern]) => pattern.test(start))?.[1];
    else if (isMarked) {
      const message = `is UTF-8, not ${encoding}; leave out --encoding (a results file is UTF-8 and begins with its header)`;
      this.fault = { message, fatal: "file" };
    }
  }
}

/** Decodes the next bytes, or the end; returns undefined for bytes that are not of the encoding. */
function decode(decoder: Decoder, chunk?: Buffer): string | undefined {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    return undefined;
  }
}

/** Returns the text of a chunk before the first byte that is not of the encoding; `before` are the bytes before it. */
function validText({ encoding }: Decoder, before: Buffer | undefined, chunk: Buffer): string {
  const lenient = new TextDecoder(encoding);
  lenient.decode(before, { stream: true });
  const text = lenient.decode(chunk, { stream: true });
  return text.slice(0, Math.max(0, text.indexOf("\uFFFD")));
}

function notDecodable({ encoding }: Decoder): RowFault {
  const cure = encoding === "utf-8" ? { cure: [["--encoding", "latin1"]] } : {};
  const message = `invalid ${encoding.toUpperCase()}; the rest of the file was not read`;
  return { message, fatal: "content", ...cure };
}

const utf16 = (encoding: string): RowFault => ({
  message: 'is UTF-16, not UTF-8; save it as "CSV UTF-8"',
  cure: [["--encoding", encoding]],
  fatal: "file",
});

/**
 * What a file is by its first bytes: ZIP (APPNOTE.TXT 4.3.7), such as .xlsx and .ods, .xls (MS-CFB 2.2), and UTF-16 by
 * its byte-order mark, or by its first character, which is ASCII in every format.
 */
const nonText: readonly (readonly [RegExp, RowFault])[] = [
  [
    /^(?:PK\x03|\xd0\xcf\x11)/,
    { message: "is a spreadsheet, not text; save it as CSV", fatal: "file" },
  ],
  [/^(?:\xff\xfe|[^\0]\0)/, utf16("utf-16le")],
  [/^(?:\xfe\xff|\0[^\0])/, utf16("utf-16be")],
];
