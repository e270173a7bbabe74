import { tryParse } from "../../core/json/parse.ts";
import type { LimiterEvent, LogRecord, ObservedLimits } from "../rules/records.ts";

type Check<T> = (value: unknown) => value is T;
type FieldsOf<Kind> = Omit<LimiterEvent & { readonly kind: Kind }, "kind">;
type Checks<T> = { readonly [Name in keyof T]-?: Check<T[Name]> };

// Snapshots copy texts from segment to segment, so they must not grow.
const shortText = /^[!-~]{1,16}$/;
const isText = (value: unknown): value is string =>
  typeof value === "string" && shortText.test(value);
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isCount = (value: unknown): value is number => isInteger(value) && value >= 0;
const isCountOrMissing = (value: unknown): value is number | undefined =>
  value === undefined || isCount(value);

const permit = { id: isText, pid: isCount, lifeMs: isCount };
const limits: Checks<ObservedLimits> = {
  limit: isCountOrMissing,
  remaining: isCountOrMissing,
  reset: (value) => value === undefined || isInteger(value),
  endsIn: isCountOrMissing,
};
/** The fields of each kind of event, in the order in which they are written. */
const eventFields: { readonly [Kind in LimiterEvent["kind"]]: Checks<FieldsOf<Kind>> } = {
  reserve: permit,
  probe: permit,
  alive: { id: isText },
  release: { id: isText },
  lost: { id: isText },
  reply: { id: isText, status: isCount, waitMs: isCountOrMissing, ...limits },
  limits: { ...limits, length: isCountOrMissing },
  uncounted: { count: isCount },
  block: { status: isCount, waitMs: isCount, strikes: isCount },
  lift: {},
  seal: {},
};
type Field = readonly [name: string, check: (value: unknown) => boolean];
const fieldLists: ReadonlyMap<unknown, readonly Field[]> = new Map(
  Object.entries(eventFields).map(([kind, fields]) => [kind, Object.entries(fields)]),
);

/** Returns a record as the array that is written to the log: its kind, its time, and its own fields. */
function encodeRecord({ stamp, event }: LogRecord): readonly unknown[] {
  const fields = (fieldLists.get(event.kind) ?? []).map(([name]) => {
    const value: unknown = Reflect.get(event, name);
    return typeof value === "number" ? Math.ceil(Math.min(value, Number.MAX_SAFE_INTEGER)) : value;
  });
  return [event.kind, stamp.boot, Math.ceil(stamp.uptime), Math.ceil(stamp.wall), ...fields];
}

// Most of the limiter's cost is reading rows in code that is not compiled yet, where destructuring, spreading
// and iterators take three times as long.

function decodeRecord(row: unknown): LogRecord | undefined {
  if (!Array.isArray(row)) return undefined;
  const boot: unknown = row[1];
  const uptime: unknown = row[2];
  const wall: unknown = row[3];
  if (!(boot === "" || isText(boot)) || !isInteger(uptime) || !isInteger(wall)) return undefined;
  const event = decodeEvent(row);
  return isEvent(event) ? { stamp: { boot, uptime, wall }, event } : undefined;
}

/** Returns the event of a row, with its fields checked; undefined if one is invalid. */
function decodeEvent(row: readonly unknown[]): object | undefined {
  const fields = fieldLists.get(row[0]);
  if (fields === undefined) return undefined;
  const event: Record<string, unknown> = { kind: row[0] };
  for (let index = 0; index < fields.length; index += 1) {
    const field = fields[index];
    if (field === undefined) break;
    const check = field[1];
    // What is optional and invalid counts as missing.
    const value = check(row[index + 4]) ? row[index + 4] : undefined;
    if (!check(value)) return undefined;
    event[field[0]] = value;
  }
  return event;
}

const isEvent = (event: object | undefined): event is LimiterEvent => event !== undefined;

/** A line of a log: a record, or the snapshot with which a segment begins, the final state of the one before. */
export interface LogLine {
  readonly isSnapshot: boolean;
  readonly records: readonly LogRecord[];
}

const snapshotWord = "begin";

/** Returns a record as a line of the log, the break first: a truncated record costs only itself, and is no valid JSON. */
export function encodeLogRecord(record: LogRecord): string {
  return `\n${JSON.stringify(encodeRecord(record))}`;
}

/** Returns the line with which a segment begins, after a break that ends what a killed process left. */
export function encodeSnapshot(snapshot: readonly LogRecord[]): string {
  return `\n${JSON.stringify([snapshotWord, ...snapshot.map(encodeRecord)])}`;
}

/** Decodes lines without their breaks; undefined for each that is invalid or truncated. */
export function decodeLines(texts: readonly string[]): readonly (LogLine | undefined)[] {
  // Parsing all texts at once takes a third of the time of one call each. No string of JSON goes on in another line.
  const rows = tryParse(`[${texts.join("\n,")}]`);
  const isWhole = Array.isArray(rows) && rows.length === texts.length;
  return (isWhole ? rows : texts.map(tryParse)).map(lineOf);
}

function lineOf(row: unknown): LogLine | undefined {
  const isSnapshot = Array.isArray(row) && row[0] === snapshotWord;
  const records = (isSnapshot ? row.slice(1) : [row]).map(decodeRecord);
  return records.every((record) => record !== undefined) ? { isSnapshot, records } : undefined;
}
