import { formatCount } from "../../../core/format.ts";
import { formatLong } from "../../../output/text/format.ts";
import { formatRate } from "./eta.ts";

/** The progress of a run. */
export interface Progress {
  /** All rows, and those that have ended, in this run or an earlier one. */
  readonly rows: number;
  readonly done: number;
  /** Rows a second. */
  readonly rate?: number;
  /** Time left, in ms. */
  readonly leftMs?: number;
  /** What the run waits for, if it waits. */
  readonly next?: NextRows;
}

/** When the next rows are sent, while a run waits. */
export interface NextRows {
  /** In ms. */
  readonly inMs: number;
  /** How many, if that is known. */
  readonly count?: number;
  /** Why the run waits, if it is not simply the limit. */
  readonly why?: string;
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
  const parts = [leftTexts(progress), nextTexts(progress), rateTexts(progress), whyTexts(progress)];
  const line = parts.reduce(
    (text, variants) => appendFirstFitting(text, variants, room),
    `${formatCount(done)}/${formatCount(rows)}`,
  );
  const cells = Math.min(barCells.max, room - line.length - "[] ".length);
  return cells < barCells.min ? line : `[${formatCells(done, rows, cells)}] ${line}`;
}

/** Returns the progress line for a log. */
export function progressLine({ rows, done, rate, leftMs }: Progress): string {
  const parts = [
    `${formatCount(done)} of ${formatCount(rows)} rows are done (${percent(done, rows)})`,
    ...(rate === undefined ? [] : [formatRate(rate)]),
    ...(leftMs === undefined ? [] : [`about ${formatLong(wholeSeconds(leftMs))} left`]),
  ];
  return parts.join(", ");
}

/** Appends the first of the variants of a part that fits into `room`, if any does. */
function appendFirstFitting(text: string, variants: readonly string[], room: number): string {
  const fits = variants.find((part) => text.length + separator.length + part.length <= room);
  return fits === undefined ? text : `${text}${separator}${fits}`;
}

function leftTexts({ leftMs }: Progress): readonly string[] {
  return leftMs === undefined ? [] : [`${formatTimeLeft(leftMs)} left`];
}

function nextTexts({ next }: Progress): readonly string[] {
  if (next === undefined) return [];
  const time = `in ${formatLong(wholeSeconds(next.inMs))}`;
  const count = next.count === undefined ? [] : [`next ${formatCount(next.count)} ${time}`];
  return [...count, `next ${time}`];
}

/** Returns the variants of the rate, or of the wait: while nothing is sent, a rate is meaningless. */
function rateTexts({ rate, next }: Progress): readonly string[] {
  return rate === undefined || next !== undefined ? [] : [formatRate(rate)];
}

const whyTexts = ({ next }: Progress): readonly string[] =>
  next?.why === undefined ? [] : [next.why];

/** Returns a time for people, as inexact as an estimate: `25 s`, `4 min`, `2 h 5 min`, `3 d 4 h`. */
function formatTimeLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 2 * 24 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const hours = Math.ceil(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const wholeSeconds = (ms: number): number => Math.ceil(ms / 1000) * 1000;

/** Returns the percentage, rounded down, so that 100% means done. */
function percent(done: number, rows: number): string {
  return `${rows === 0 ? 100 : Math.floor((done / rows) * 100)}%`;
}

function formatCells(done: number, rows: number, cells: number): string {
  const full = rows === 0 ? cells : Math.floor((done / rows) * cells);
  return "#".repeat(full) + "-".repeat(cells - full);
}
