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
  /** Whether rows of a table that cannot be animals, such as rulers, were passed over. */
  hasOtherRows = false;
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
    // Letters of one byte each are hardly ever valid UTF-8 to the end of a text.
    const isLetters = /^(?:windows|iso|koi8|macintosh|x-mac|ibm)/.test(this.#encoding);
    let utf8 = isLetters ? new TextDecoder("utf-8", { fatal: true }) : undefined;
    let hasLetters = false;
    // The end of the last chunk, where a character of up to four bytes may have begun.
    let end = Buffer.alloc(0);
    for (const chunk of this.#bytes) {
      if (this.chunks === 0) this.#detect(chunk);
      if (this.fault !== undefined) return;
      const text = decoded(strict, chunk);
      const other = this.chunks === 0 && otherText.find(([start]) => start.test(text ?? ""));
      if (other) this.fault = fileFault(other[1]);
      if (this.fault !== undefined) return;
      this.chunks += 1;
      const same = utf8 && decoded(utf8, chunk);
      if (same === undefined) utf8 = undefined;
      hasLetters ||= same !== undefined && /[^\0-\x7f]/.test(same);
      yield text ?? this.#beforeFault(end, chunk);
      if (text === undefined) this.fault = this.#invalid();
      end = Buffer.concat([end, chunk.subarray(-3)]).subarray(-3);
    }
    if (decoded(strict) === undefined) this.fault ??= this.#invalid();
    if (utf8 !== undefined && hasLetters && decoded(utf8) !== undefined)
      this.fault ??= this.#isUtf8();
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

  #invalid(): TextFault {
    const message = `invalid ${this.#encoding.toUpperCase()}; the rest of the file was not read`;
    return { message, fatal: "content", isEncoding: this.#encoding === "utf-8" };
  }

  #isUtf8(): TextFault {
    return fileFault(`is UTF-8, not ${this.#encoding}`, "--encoding", "utf-8");
  }

  #detect(chunk: Buffer): void {
    const start = chunk.toString("latin1", 0, 4);
    const isMarked = start.startsWith("\xef\xbb\xbf");
    const isUtf16 = this.#encoding.startsWith("utf-16") && /^(?:\xff\xfe|\xfe\xff)/.test(start);
    this.shape = { ...this.shape, hasByteOrderMark: isMarked || isUtf16 };
    if (this.#encoding === "utf-8") this.fault = nonText.find(([each]) => each.test(start))?.[1];
    else if (isMarked) this.fault = this.#isUtf8();
  }
}

/** Returns the text of the next bytes, or of the end; undefined if they are not of the encoding. */
const decoded = (decoder: InstanceType<typeof TextDecoder>, bytes?: Buffer): string | undefined =>
  ifDecodable(() => decoder.decode(bytes, { stream: bytes !== undefined }));

/** Returns whether bytes are UTF-8 to their end. */
export function isUtf8(chunks: Iterable<Buffer>): boolean {
  const strict = new TextDecoder("utf-8", { fatal: true });
  for (const chunk of chunks) if (decoded(strict, chunk) === undefined) return false;
  return decoded(strict) !== undefined;
}

/** Returns what is decoded; undefined for bytes that are not of the encoding. */
export function ifDecodable(decode: () => string): string | undefined {
  try {
    return decode();
  } catch (error) {
    if (isSystemError(error, "ERR_ENCODING_INVALID_ENCODED_DATA")) return undefined;
    throw error;
  }
}

const fileFault = (message: string, ...cure: string[]): TextFault => ({
  message,
  fatal: "file",
  ...(cure.length > 0 && { cure: [cure] }),
});

const utf16 = 'is UTF-16, not UTF-8; save it as "CSV UTF-8"';

/** What a workbook begins with: ZIP (APPNOTE.TXT 4.3.7), such as .xlsx and .ods, or .xls (MS-CFB 2.2). */
export const workbookStart = /^(?:PK\x03|\xd0\xcf\x11)/;

/** What a file is by its first bytes; UTF-16 also by its first character, which is ASCII in every format. */
const nonText: readonly (readonly [RegExp, TextFault])[] = [
  [workbookStart, fileFault("is a workbook, not text", "--format", "xlsx")],
  [/^%PDF/, fileFault("is a PDF; export the table as CSV or .xlsx")],
  [
    /^(?:\xff\xfe\0\0|\0\0\xfe\xff|[^\0]\0\0\0|\0\0\0[^\0])/,
    fileFault("is UTF-32; save it as UTF-8"),
  ],
  [/^(?:\xff\xfe|[^\0]\0)/, fileFault(utf16, "--encoding", "utf-16le")],
  [/^(?:\xfe\xff|\0[^\0])/, fileFault(utf16, "--encoding", "utf-16be")],
];

// Each comment ends in one way alone: in several, a text of comments would take forever.
const comments = String.raw`^(?:\s|--[^\n]*\n|\\restrict[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/;?)*`;
const statements = String.raw`(?:insert\s+into|create\s+(?:table|database|schema)|drop\s+(?:table|database)|lock\s+tables|start\s+transaction|begin(?:\s+transaction)?\s*;\s*\n|pragma\s+\w+\s*=|set\s+\w+\s*=|use\s+\S+\s*;\s*\n|copy\s[^\n]*\sfrom\s+stdin)`;

/** What a text is by its beginning, if it is no table and no JSON. */
const otherText: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(comments + statements, "i"),
    "is a dump of SQL, not a table; load it into its database and export the table as CSV",
  ],
  [/^\s*(?:\[\s*)?[{(]\s*u?'/, "is written by Python, not JSON; write it with json.dump()"],
  [
    /^\s*(?:<!doctype\s+html|<html|<table)/i,
    "is a web page, not a table; open it in a spreadsheet and save it as .xlsx or CSV",
  ],
  [/^\s*<\?xml/i, "is XML; export the table as CSV, JSON or .xlsx"],
  [/^\{\\rtf/, "is a text of a word processor; save the table as CSV"],
];
