import { formatRate } from "./eta.ts";
import { formatCount, formatLong } from "../../../output/text/format.ts";

/** How far a run is. */
export interface Progress {
  /** All rows, and those that have ended, in this run or an earlier one. */
  readonly rows: number;
  readonly done: number;
  /** Rows a second. */
  readonly rate?: number;
  /** Time left, in ms. */
  readonly leftMs?: number;
  /** How many requests the service still allows, of how many. */
  readonly limits?: { readonly remaining: number; readonly limit: number };
  /** What the run is waiting for now, as text. */
  readonly waiting?: string;
}

/** How many cells the bar has. */
const barCells = { min: 10, max: 30 } as const;
const separator = "  ";

/**
 * Returns the progress line for a terminal, in `room` columns: what matters less is left out if it
 * does not fit. What the run is waiting for comes last, and may be too long.
 */
export function formatBar(progress: Progress, room: number): string {
  const { rows, done, waiting } = progress;
  const needed = `${formatCount(done)}/${formatCount(rows)}${separator}${percent(done, rows)}`;
  const parts = {
    left: leftText(progress),
    rate: rateText(progress),
    limits: limitsText(progress),
  };
  if (waiting !== undefined)
    return [needed, ...fitting([parts.left], room - 60), waiting].join(separator);
  const shown = fitting([parts.left, parts.rate, parts.limits], room - needed.length);
  const line = [needed, ...shown].join(separator);
  const cells = Math.min(barCells.max, room - line.length - separator.length - 2);
  return cells < barCells.min ? line : `[${formatCells(done, rows, cells)}]${separator}${line}`;
}

/** Returns the progress line for a log. */
export function progressLine({ rows, done, rate, leftMs }: Progress): string {
  const parts = [
    `${formatCount(done)} of ${formatCount(rows)} rows are done (${percent(done, rows)})`,
    ...(rate === undefined ? [] : [formatRate(rate)]),
    ...(leftMs === undefined ? [] : [`about ${timeLeft(leftMs)} left`]),
  ];
  return parts.join(", ");
}

/** Returns those of `parts` that fit into `room` with a separator before each; earlier ones first. */
function fitting(parts: readonly string[], room: number): readonly string[] {
  let left = room;
  return parts.filter((part) => {
    const takes = separator.length + part.length;
    if (part === "" || takes > left) return false;
    left -= takes;
    return true;
  });
}

const leftText = ({ leftMs }: Progress): string =>
  leftMs === undefined ? "" : `${timeLeft(leftMs)} left`;

const rateText = ({ rate }: Progress): string => (rate === undefined ? "" : formatRate(rate));

const limitsText = ({ limits }: Progress): string =>
  limits === undefined
    ? ""
    : `${formatCount(limits.remaining)}/${formatCount(limits.limit)} requests`;

/** In whole seconds: the estimate is no better than that. */
const timeLeft = (ms: number): string => formatLong(Math.ceil(ms / 1000) * 1000);

/** Rounded down, so that 100% means done. */
function percent(done: number, rows: number): string {
  return `${rows === 0 ? 100 : Math.floor((done / rows) * 100)}%`;
}

function formatCells(done: number, rows: number, cells: number): string {
  const full = rows === 0 ? cells : Math.floor((done / rows) * cells);
  return "#".repeat(full) + "-".repeat(cells - full);
}
