/** A line without its end. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Undefined if the line is too long. */
  readonly text: string | undefined;
  /** LF, CRLF or CR; empty if the text ends without. */
  readonly end: string;
}

/** Splits pieces of a text into lines that end with LF, CRLF or CR. Drops the text of lines over `maxBytes` in UTF-8. */
export class LineSplitter {
  readonly #maxBytes: number;
  #number = 1;
  #rest = "";
  #isTooLong = false;
  /** A CR at the end of the last piece, which an LF may follow. */
  #held = "";

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get number(): number {
    return this.#number;
  }

  /** Yields the lines that end in `piece`, which all have to be taken before the next piece. */
  *push(piece: string, isLast = false): Generator<Line> {
    const parts = (this.#held + piece).split(isLast ? /(\r\n?|\n)/ : /(\r\n|\r(?!$)|\n)/);
    const rest = parts.pop() ?? "";
    for (let i = 0; i < parts.length; i += 2) yield this.#line(parts[i] ?? "", parts[i + 1] ?? "");
    this.#held = !isLast && rest.endsWith("\r") ? "\r" : "";
    this.#keep(rest.slice(0, rest.length - this.#held.length));
  }

  /** Yields the lines that are left at the end of the text. */
  *end(): Generator<Line> {
    yield* this.push("", true);
    if (this.#rest !== "" || this.#isTooLong) yield this.#line("", "");
  }

  #line(part: string, end: string): Line {
    this.#keep(part);
    const line = { number: this.#number, text: this.#isTooLong ? undefined : this.#rest, end };
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
