/** A line without its end. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Undefined if the line is too long. */
  readonly text: string | undefined;
}

/**
 * Splits a text that comes in pieces into lines that end with LF, CRLF or CR. Lines that take more than
 * `maxBytes` in UTF-8 are dropped, so memory stays bounded.
 */
export class LineSplitter {
  readonly #end = /[\r\n]/g;
  readonly #maxBytes: number;
  #number: number;
  #rest = "";
  #isTooLong = false;
  #endsWithReturn = false;

  /** `first` is the number of the first line. */
  constructor(maxBytes: number, first = 1) {
    this.#maxBytes = maxBytes;
    this.#number = first;
  }

  /** The number of the line that has not ended yet. */
  get number(): number {
    return this.#number;
  }

  /** Yields the lines that end in `piece`, which all have to be taken before the next piece. */
  *push(piece: string): Generator<Line> {
    // The LF of a CRLF whose CR ended the last piece.
    let from = this.#endsWithReturn && piece.startsWith("\n") ? 1 : 0;
    if (piece !== "") this.#endsWithReturn = piece.endsWith("\r");
    this.#end.lastIndex = from;
    while (this.#end.test(piece)) {
      const end = this.#end.lastIndex;
      yield this.#take(piece.slice(from, end - 1));
      from = piece[end - 1] === "\r" && piece[end] === "\n" ? end + 1 : end;
      this.#end.lastIndex = from;
    }
    this.#keep(piece.slice(from));
  }

  /** Yields the last line if it has no end. */
  *end(): Generator<Line> {
    if (this.#rest !== "" || this.#isTooLong) yield this.#take("");
  }

  #take(part: string): Line {
    this.#keep(part);
    const line = { number: this.#number, text: this.#isTooLong ? undefined : this.#rest };
    this.#number += 1;
    this.#rest = "";
    this.#isTooLong = false;
    return line;
  }

  #keep(part: string): void {
    this.#rest = this.#rest === "" ? part : this.#rest + part;
    this.#isTooLong ||= isLonger(this.#rest, this.#maxBytes);
    if (this.#isTooLong) this.#rest = "";
  }
}

/** Returns whether a text takes more than `maxBytes` in UTF-8. */
export function isLonger(text: string, maxBytes: number): boolean {
  // No UTF-16 unit takes more than three bytes.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}
