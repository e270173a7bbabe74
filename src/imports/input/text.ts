import { isSystemError } from "../../core/errors.ts";
import { type Line, LineSplitter } from "../../core/lines.ts";
import type { InputShape, TextFault } from "../types.ts";
import { maxRowBytes } from "./row.ts";

/** The text of an input, up to the first byte that is not of its encoding. */
export class InputText implements Iterable<string> {
  readonly #bytes: Iterable<Buffer>;
  readonly #encoding: string;
  /** What is wrong with the bytes after the last piece or line; known when there are no more of them. */
  fault: TextFault | undefined;
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
    const strict = new TextDecoder(this.#encoding, { fatal: true });
    // The end of the last chunk, where a character of up to four bytes may have begun.
    let end = Buffer.alloc(0);
    for (const chunk of this.#bytes) {
      if (this.chunks === 0) this.#detect(chunk);
      if (this.fault !== undefined) return;
      this.chunks += 1;
      const text = decoded(strict, chunk);
      yield text ?? this.#beforeFault(end, chunk);
      if (text === undefined) this.fault = this.#invalid(chunk);
      end = Buffer.concat([end, chunk.subarray(-3)]).subarray(-3);
    }
    if (decoded(strict) === undefined) this.fault ??= this.#invalid();
  }

  /** Returns the text of a chunk up to the first wrong byte. */
  #beforeFault(end: Buffer, chunk: Buffer): string {
    const decoder = () =>
      new TextDecoder(this.#encoding, { fatal: true, ignoreBOM: end.length > 0 });
    // The bytes of a character that is cut off between the chunks have no text by themselves.
    const carried = [3, 2, 1]
      .map((size) => end.subarray(-size))
      .find((bytes) => decoded(decoder(), bytes) === "");
    const strict = decoder();
    let whole = "";
    for (const byte of Buffer.concat([carried ?? Buffer.of(), chunk])) {
      const text = decoded(strict, Buffer.of(byte));
      if (text === undefined) break;
      whole += text;
    }
    return whole;
  }

  #invalid(chunk?: Buffer): TextFault {
    const message = `invalid ${this.#encoding.toUpperCase()}; the rest of the file was not read`;
    const [encoding = "latin1"] =
      recognized.find(([label, letters]) =>
        letters.test(decoded(new TextDecoder(label, { fatal: true }), chunk) ?? ""),
      ) ?? [];
    const cure = this.#encoding === "utf-8" ? [["--encoding", encoding]] : [];
    return { message, fatal: "content", cure };
  }

  #detect(chunk: Buffer): void {
    const start = chunk.toString("latin1", 0, 3);
    const isMarked = start === "\xef\xbb\xbf";
    const isUtf16 = this.#encoding.startsWith("utf-16") && /^(?:\xff\xfe|\xfe\xff)/.test(start);
    this.shape = { ...this.shape, hasByteOrderMark: isMarked || isUtf16 };
    if (this.#encoding === "utf-8") {
      this.fault = nonText.find(([pattern]) => pattern.test(start))?.[1];
      return;
    }
    // Results are UTF-8, whatever the input was. Letters of one byte each are hardly ever valid UTF-8.
    const isLetters = /^(?:windows|iso)-\d/.test(this.#encoding);
    const text = isLetters ? decoded(new TextDecoder("utf-8", { fatal: true }), chunk) : "";
    const message = `is UTF-8, not ${this.#encoding}; leave out --encoding`;
    if (isMarked || /[\u0080-\uffff]/.test(text ?? "")) this.fault = { message, fatal: "file" };
  }
}

/** Encodings by letters that no text of another one has together: a wrong one would make wrong names. */
const recognized = [
  ["shift_jis", /[\u3041-\u30fe]{2}/],
  ["windows-1250", /\p{L}[łąż]\p{L}|ř.*[ěčů]|[ěčů].*ř/isu],
] as const;

/** Returns the text of the next bytes, or of the end; undefined if they are not of the encoding. */
function decoded(decoder: InstanceType<typeof TextDecoder>, bytes?: Buffer): string | undefined {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch (error) {
    if (isSystemError(error, "ERR_ENCODING_INVALID_ENCODED_DATA")) return undefined;
    throw error;
  }
}

const utf16 = (encoding: string): TextFault => ({
  message: 'is UTF-16, not UTF-8; save it as "CSV UTF-8"',
  cure: [["--encoding", encoding]],
  fatal: "file",
});

const spreadsheet: TextFault = {
  message: "is a spreadsheet, not text; save it as CSV",
  fatal: "file",
};

/**
 * What a file is by its first bytes: ZIP (APPNOTE.TXT 4.3.7), such as .xlsx and .ods, .xls (MS-CFB 2.2), and UTF-16 by
 * its byte-order mark, or by its first character, which is ASCII in every format.
 */
const nonText: readonly (readonly [RegExp, TextFault])[] = [
  [/^(?:PK\x03|\xd0\xcf\x11)/, spreadsheet],
  [/^(?:\xff\xfe|[^\0]\0)/, utf16("utf-16le")],
  [/^(?:\xfe\xff|\0[^\0])/, utf16("utf-16be")],
];
