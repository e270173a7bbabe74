import { formatRate } from "./eta.ts";
import { formatCount, formatLong } from "../../../output/text/format.ts";

/** How far a run is. */
export interface Progress {
  /** All rows, and those that have ended, in this run or an earlier one. */
  readonly rows: number;
  readonly done: number;
  /** Rows a second. */
  readonly rate?: number;
  /** How long it will take from now on, in ms. */
  readonly leftMs?: number;
  /** Requests that the service still allows, of how many. */
  readonly limits?: { readonly remaining: number; readonly limit: number };
  /** What it waits for now, ready to be read. */
  readonly waiting?: string;
}

/** The fewest and the most cells of the graphic. */
const barCells = { least: 10, most: 30 } as const;
const between = "  ";

/**
 * The line that shows how far a run is, in `room` columns: what matters less is left out where it does
 * not fit. What it waits for stands last, and may be too long.
 */
export function formatBar(progress: Progress, room: number): string {
  const { rows, done, waiting } = progress;
  const needed = `${formatCount(done)}/${formatCount(rows)}${between}${percent(done, rows)}`;
  const parts = {
    left: leftText(progress),
    rate: rateText(progress),
    limits: limitsText(progress),
  };
  if (waiting !== undefined)
    return [needed, ...fitting([parts.left], room - 60), waiting].join(between);
  const shown = fitting([parts.left, parts.rate, parts.limits], room - needed.length);
  const line = [needed, ...shown].join(between);
  const cells = Math.min(barCells.most, room - line.length - between.length - 2);
  return cells < barCells.least ? line : `[${formatCells(done, rows, cells)}]${between}${line}`;
}

/** The same in a log, where nobody sees it move. */
export function progressLine({ rows, done, rate, leftMs }: Progress): string {
  const parts = [
    `${formatCount(done)} of ${formatCount(rows)} rows are done (${percent(done, rows)})`,
    ...(rate === undefined ? [] : [formatRate(rate)]),
    ...(leftMs === undefined ? [] : [`about ${timeLeft(leftMs)} left`]),
  ];
  return parts.join(", ");
}

/** Those of `parts` that fit into `room` with blanks before each, the first ones first. */
function fitting(parts: readonly string[], room: number): readonly string[] {
  let left = room;
  return parts.filter((part) => {
    const takes = between.length + part.length;
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

/** In whole seconds: nobody knows it better. */
const timeLeft = (ms: number): string => formatLong(Math.ceil(ms / 1000) * 1000);

/** Rounded down: 100 % is when all are done. */
function percent(done: number, rows: number): string {
  return `${rows === 0 ? 100 : Math.floor((done / rows) * 100)}%`;
}

function formatCells(done: number, rows: number, cells: number): string {
  const full = rows === 0 ? cells : Math.floor((done / rows) * cells);
  return "#".repeat(full) + "-".repeat(cells - full);
}
