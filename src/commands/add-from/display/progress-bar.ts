import { formatCount } from "../../../core/format.ts";
import { formatLong } from "../../../output/text/format.ts";

/** The progress of a run. */
export interface Progress {
  /** All rows, and those that have ended, in this run or an earlier one. */
  readonly rows: number;
  readonly done: number;
  /** Time left, in ms. */
  readonly leftMs?: number | undefined;
  /** When the next rows are sent if the run waits, in ms; how many, if that is known, and why if it is not the limit. */
  readonly next?:
    | { readonly inMs: number; readonly count?: number; readonly why?: string }
    | undefined;
}

/** The number of cells in the bar. */
const barCells = { min: 10, max: 30 } as const;
const separator = " · ";

/**
 * Returns the progress line for a terminal, in `room` columns: less important parts are left out if they do
 * not fit, the time left last of all (`help bulk`).
 */
export function formatBar(progress: Progress, room: number): string {
  const { rows, done } = progress;
  const line = progressLine(progress, room);
  const cells = Math.min(barCells.max, room - line.length - "[] ".length);
  if (cells < barCells.min) return line;
  const full = rows === 0 ? cells : Math.floor((done / rows) * cells);
  return `[${"#".repeat(full)}${"-".repeat(cells - full)}] ${line}`;
}

/** Returns the progress in words, in `room` columns. */
export function progressLine(progress: Progress, room = Number.POSITIVE_INFINITY): string {
  let line = `${formatCount(progress.done)}/${formatCount(progress.rows)}`;
  for (const variants of partsOf(progress)) {
    const fits = variants.find((part) => line.length + separator.length + part.length <= room);
    if (fits !== undefined) line += separator + fits;
  }
  return line;
}

/** Returns the parts behind the counts, the most important first, each with its shorter variants. */
function partsOf({ leftMs, next }: Progress): readonly (readonly string[])[] {
  const left = leftMs === undefined ? [] : [`${formatTimeLeft(leftMs)} left`];
  if (next === undefined) return [left];
  const { inMs, count, why } = next;
  const time = `in ${formatLong(Math.ceil(inMs / 1000) * 1000)}`;
  const counted = count === undefined ? [] : [`next ${formatCount(count)} ${time}`];
  return [left, [...counted, `next ${time}`], why === undefined ? [] : [why]];
}

/** Returns a time for people, as inexact as an estimate: `25 s`, `4 min`, `2 h 5 min`, `3 d 4 h`. */
function formatTimeLeft(ms: number): string {
  const unit = ms > 59_000 ? 60_000 : 1000;
  return formatLong(Math.ceil(ms / unit) * unit).replace(/m$/, "min");
}
