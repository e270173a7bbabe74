/** A line without its end. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Undefined if the line is too long. Valid until the next `push`. */
  readonly bytes: Buffer | undefined;
}

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const lineEnd = /\r\n|\n|\r/g;

/**
 * Splits bytes that come in pieces, of UTF-8 or any other superset of ASCII, into lines that end
 * with LF, CRLF or CR. Lines of more than `maxBytes` are dropped, so memory stays bounded.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #number = 1;
  #rest: Buffer = Buffer.alloc(0);
  #isTooLong = false;
  #endsWithReturn = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The number of the line that has not ended yet. */
  get number(): number {
    return this.#number;
  }

  /** Returns the lines that end in `piece`. */
  push(piece: Buffer): readonly Line[] {
    if (piece.length === 0) return [];
    const lines: Line[] = [];
    // The LF of a CRLF whose CR ended the last piece.
    let from = this.#endsWithReturn && piece[0] === lineFeed ? 1 : 0;
    this.#endsWithReturn = piece.at(-1) === carriageReturn;
    lineEnd.lastIndex = from;
    // In Latin-1 each character is one byte.
    const text = piece.toString("latin1");
    for (let end = lineEnd.exec(text); end !== null; end = lineEnd.exec(text)) {
      lines.push(this.#endLine(piece.subarray(from, end.index)));
      from = lineEnd.lastIndex;
    }
    this.#keep(piece.subarray(from));
    return lines;
  }

  /** Returns the last line if it has no end. */
  end(): readonly Line[] {
    return this.#rest.length === 0 && !this.#isTooLong ? [] : [this.#endLine(Buffer.alloc(0))];
  }

  #endLine(part: Buffer): Line {
    const bytes = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part]);
    const isTooLong = this.#isTooLong || bytes.length > this.#maxBytes;
    const line = { number: this.#number, bytes: isTooLong ? undefined : bytes };
    this.#number += 1;
    this.#isTooLong = false;
    this.#rest = Buffer.alloc(0);
    return line;
  }

  #keep(part: Buffer): void {
    this.#isTooLong ||= this.#rest.length + part.length > this.#maxBytes;
    this.#rest = this.#isTooLong ? Buffer.alloc(0) : Buffer.concat([this.#rest, part]);
  }
}
