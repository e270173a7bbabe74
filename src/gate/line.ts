import type { GateRecord } from "./records.ts";
import { recordOf, rowOf } from "./row.ts";

/** One of the lines that a log is made of. */
export type Line =
  | { readonly record: GateRecord }
  /** The first line of a file: what is carried over from the one before. */
  | { readonly carried: readonly GateRecord[] };

const beginning = "begin";

/**
 * A record as it is written to the log. The line break comes first, so that a record whose end was
 * cut off costs only itself; being JSON, it is no record then.
 */
export function recordLine(record: GateRecord): string {
  return `\n${JSON.stringify(rowOf(record))}`;
}

/** The first line of a file, with what is carried over, as far as it can be written. */
export function beginLine(carried: readonly GateRecord[]): string {
  const rows = carried.map(rowOf).filter((row) => recordOf(row) !== undefined);
  return `\n${JSON.stringify([beginning, ...rows])}`;
}

/**
 * What each of the lines, without their breaks, says; undefined where it says nothing, or is not
 * whole.
 */
export function parseLines(texts: readonly string[]): readonly (Line | undefined)[] {
  return parseRows(texts).map((row) => (Array.isArray(row) ? lineOf(row) : undefined));
}

/** One call for all takes a third of the time of one for each, where nothing has compiled yet. */
function parseRows(texts: readonly string[]): readonly unknown[] {
  const rows = parseJson(`[${texts.join(",")}]`);
  return Array.isArray(rows) && rows.length === texts.length ? rows : texts.map(parseJson);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function lineOf(row: readonly unknown[]): Line | undefined {
  if (row[0] !== beginning) {
    const record = recordOf(row);
    return record && { record };
  }
  const carried = row.slice(1).map((part) => (Array.isArray(part) ? recordOf(part) : undefined));
  return carried.every((record) => record !== undefined) ? { carried } : undefined;
}
