import { longestRow } from "./row.ts";

/** A line without its end; without a text when it is too long to be a row. */
export interface Line {
  readonly number: number;
  readonly text: string | undefined;
}

const lineEnd = /\r\n|\n|\r/g;

/** Cuts text into lines ended by LF, CRLF or CR. Of a line that is too long nothing is kept. */
export class LineSplitter {
  #number = 1;
  #rest = "";
  #isTooLong = false;

  /** The number of the line that has not ended yet. */
  get number(): number {
    return this.#number;
  }

  /** The lines that end in `piece`, the next part of the text. */
  push(piece: string): readonly Line[] {
    // A CR at the end may be half a CRLF.
    const text = this.#rest + piece;
    const whole = text.endsWith("\r") ? text.length - 1 : text.length;
    const lines: Line[] = [];
    let from = 0;
    lineEnd.lastIndex = this.#rest.endsWith("\r") ? this.#rest.length - 1 : this.#rest.length;
    for (
      let end = lineEnd.exec(text);
      end !== null && end.index < whole;
      end = lineEnd.exec(text)
    ) {
      lines.push(this.#endLine(text.slice(from, end.index)));
      from = lineEnd.lastIndex;
    }
    this.#keep(text.slice(from));
    return lines;
  }

  /** The line that the text ends with, if there is one. */
  end(): readonly Line[] {
    if (this.#rest === "" && !this.#isTooLong) return [];
    return [this.#endLine(this.#rest.replace(/\r$/, ""))];
  }

  #endLine(text: string): Line {
    const isTooLong = this.#isTooLong || isLongerThanRow(text);
    const line = { number: this.#number, text: isTooLong ? undefined : text };
    this.#number += 1;
    this.#isTooLong = false;
    this.#rest = "";
    return line;
  }

  #keep(rest: string): void {
    if (rest.length > longestRow) this.#isTooLong = true;
    this.#rest = this.#isTooLong ? (rest.endsWith("\r") ? "\r" : "") : rest;
  }
}

function isLongerThanRow(text: string): boolean {
  return text.length * 3 > longestRow && Buffer.byteLength(text) > longestRow;
}
