import type { LimiterEvent, LogRecord, ObservedLimits } from "./records.ts";

/** A record as the array that is written to the log: its kind, its moment, and what its kind has. */
function encodeRecord({ stamp, event }: LogRecord): readonly unknown[] {
  const { boot, uptime, wall } = stamp;
  return [event.kind, boot, Math.ceil(uptime), Math.ceil(wall), ...fieldsOf(event)];
}

function fieldsOf(event: LimiterEvent): readonly unknown[] {
  switch (event.kind) {
    case "reserve":
    case "probe":
      return [event.id, event.pid, Math.ceil(Math.min(event.lifeMs, Number.MAX_SAFE_INTEGER))];
    case "release":
    case "end":
      return [event.id];
    case "reply":
      return [event.id, event.status, rounded(event.waitMs), ...limitFields(event.limits)];
    case "limits":
      return limitFields(event.limits);
    case "lost":
      return [event.count];
    case "block":
      return [event.status, Math.ceil(event.waitMs), event.strikes];
    case "seal":
      return [];
    default:
      throw new TypeError(`unknown event ${String(event satisfies never)}`);
  }
}

function limitFields({ limit, remaining, reset, endsIn }: ObservedLimits): readonly unknown[] {
  return [limit, remaining, rounded(reset), rounded(endsIn)];
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.ceil(ms);
}

/** The record that an array from the log stands for; undefined where it stands for none. */
function decodeRecord(row: readonly unknown[]): LogRecord | undefined {
  // Most of what a gate costs is reading rows with code that is still cold: destructuring and
  // spreading take three times as long there.
  const boot = row[1];
  const uptime = row[2];
  const wall = row[3];
  if (!isBoot(boot) || !isNumber(uptime) || !isNumber(wall)) return undefined;
  const event = decodeEvent(row);
  return event && { stamp: { boot, uptime, wall }, event };
}

function decodeEvent(row: readonly unknown[]): LimiterEvent | undefined {
  const kind = row[0];
  const a = row[4];
  const b = row[5];
  const c = row[6];
  switch (kind) {
    case "reserve":
    case "probe":
      return isText(a) && isCount(b) && isCount(c) ? { kind, id: a, pid: b, lifeMs: c } : undefined;
    case "release":
    case "end":
      return isText(a) ? { kind, id: a } : undefined;
    case "reply":
      return isText(a) && isCount(b) ? replyOf(a, b, row) : undefined;
    case "limits":
      return { kind, limits: limitsOf(row, 4) };
    case "lost":
      return isCount(a) ? { kind, count: a } : undefined;
    case "block":
      return isCount(a) && isCount(b) && isCount(c)
        ? { kind, status: a, waitMs: b, strikes: c }
        : undefined;
    case "seal":
      return { kind };
    default:
      return undefined;
  }
}

function replyOf(id: string, status: number, row: readonly unknown[]): LimiterEvent {
  const waitMs = row[6];
  const limits = limitsOf(row, 7);
  return isCount(waitMs)
    ? { kind: "reply", id, status, waitMs, limits }
    : { kind: "reply", id, status, limits };
}

function limitsOf(row: readonly unknown[], from: number): ObservedLimits {
  const limit = row[from];
  const remaining = row[from + 1];
  const reset = row[from + 2];
  const endsIn = row[from + 3];
  const limits: { -readonly [Name in keyof ObservedLimits]: ObservedLimits[Name] } = {};
  if (isCount(limit)) limits.limit = limit;
  if (isCount(remaining)) limits.remaining = remaining;
  if (isNumber(reset)) limits.reset = reset;
  if (isCount(endsIn)) limits.endsIn = endsIn;
  return limits;
}

// What is carried from file to file must not grow on the way.
const shortText = /^[!-~]{1,16}$/;
const isText = (value: unknown): value is string =>
  typeof value === "string" && shortText.test(value);
const isBoot = (value: unknown): value is string => value === "" || isText(value);
const isNumber = (value: unknown): value is number => Number.isSafeInteger(value);
const isCount = (value: unknown): value is number => isNumber(value) && value >= 0;

/** One of the lines that a log is made of. */
export type LogLine =
  | { readonly record: LogRecord }
  /** The first line of a file: what is carried over from the one before. */
  | { readonly snapshot: readonly LogRecord[] };

const beginning = "begin";

/**
 * A record as it is written to the log. The line break comes first, so that a record whose end was
 * cut off costs only itself; being JSON, it is no record then.
 */
export function encodeLine(record: LogRecord): string {
  return `\n${JSON.stringify(encodeRecord(record))}`;
}

/** The first line of a file, with what is carried over, as far as it can be written. */
export function encodeSnapshot(snapshot: readonly LogRecord[]): string {
  const rows = snapshot.map(encodeRecord).filter((row) => decodeRecord(row) !== undefined);
  return `\n${JSON.stringify([beginning, ...rows])}`;
}

/**
 * What each of the lines, without their breaks, says; undefined where it says nothing, or is not
 * whole.
 */
export function decodeLines(texts: readonly string[]): readonly (LogLine | undefined)[] {
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

function lineOf(row: readonly unknown[]): LogLine | undefined {
  if (row[0] !== beginning) {
    const record = decodeRecord(row);
    return record && { record };
  }
  const snapshot = row
    .slice(1)
    .map((part) => (Array.isArray(part) ? decodeRecord(part) : undefined));
  return snapshot.every((record) => record !== undefined) ? { snapshot } : undefined;
}
