import type { Line } from "../../core/lines.ts";
import type { TableRecord, TextFault } from "../types.ts";
import type { Rereadable } from "./rereadable.ts";
import { isBlankAt, maxRowBytes, trimBlanks } from "./row.ts";

/** How much is read again behind quotes that cannot be read: a text of nothing else must not take forever. */
const maxAgain = 64 * 1024 * 1024;

export const unread = "; the rest of the file was not read";

/**
 * Yields the records of CSV (RFC 4180), with quotes inside a cell that does not begin with one as they are. One whose
 * quotes cannot be read is its first line alone: the next record begins in the line after it.
 */
export function* csvRecords(
  lines: Rereadable<Line>,
  delimiter: string,
  faultOf: (line: Line) => TextFault | undefined,
): Generator<TableRecord> {
  let breaks = 0;
  let again = 0;
  for (const line of lines) {
    const { number, text = "" } = line;
    const row = breaks === 0 ? undefined : number - breaks;
    if (line.text !== undefined && !text.includes('"')) {
      yield { line: number, row, end: line.end, cells: text.split(delimiter) };
      continue;
    }
    const cells = new Cells(delimiter);
    const read = [line];
    let size = 0;
    let fault = faultOf(line) ?? cells.add(line);
    while (fault === undefined && cells.isOpen) {
      const next = size > maxRowBytes ? undefined : lines.next();
      if (next === undefined) fault = { message: "quote never closed within 1 MiB" };
      else {
        read.push(next);
        size += (next.text?.length ?? maxRowBytes) + next.end.length;
        fault = faultOf(next) ?? cells.add(next);
      }
    }
    const place = { line: number, row, end: read.at(-1)?.end ?? "" };
    if (fault === undefined) {
      breaks += read.length - 1;
      yield { ...place, cells: cells.texts, quoted: cells.quoted };
      continue;
    }
    again += size;
    const end = { message: `${fault.message}${unread}`, fatal: "content" } as const;
    yield { ...place, cells: text.split(delimiter), fault: again > maxAgain ? end : fault };
    lines.putBack(read.slice(1));
  }
}

/** The cells of a record, to which lines are added while a quote is open. */
class Cells {
  readonly texts: string[] = [];
  /** Which cells are quoted, if any is. */
  quoted: boolean[] | undefined;
  /** The last cell, as far as it has been read, if it began with a quote that is not closed yet. */
  #open: string | undefined;
  readonly #delimiter: string;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Adds the cells of the next line. Returns what is wrong with its quotes, if anything is. */
  add({ text = "", end }: Line): TextFault | undefined {
    let start = 0;
    while (start <= text.length) {
      let open = start;
      while (isBlankAt(text, open) && text[open] !== this.#delimiter) open += 1;
      const isQuoted = this.#open !== undefined || text[open] === '"';
      const from = this.#open === undefined ? open + 1 : start;
      const close = isQuoted ? closingQuote(text, from) : start;
      if (close === -1) {
        this.#open = `${this.#open ?? ""}${text.slice(from)}${end}`;
        return undefined;
      }
      const next = text.indexOf(this.#delimiter, close);
      const stop = next === -1 ? text.length : next;
      if (!isQuoted) this.texts.push(text.slice(start, stop));
      else {
        if (trimBlanks(text.slice(close + 1, stop)) !== "")
          return { message: "text after a closing quote; double each quote inside a value" };
        this.quoted ??= [];
        this.quoted[this.texts.length] = true;
        const cell = (this.#open ?? "") + text.slice(from, close);
        this.texts.push(cell.replaceAll('""', '"'));
        this.#open = undefined;
      }
      start = stop + 1;
    }
    return undefined;
  }
}

function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}
