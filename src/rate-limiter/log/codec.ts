import type { LimiterEvent, LogRecord, ObservedLimits } from "../rules/records.ts";

// The words on disk of events that have another name in the code.
const lostOnDisk = "end";
const uncountedOnDisk = "lost";

/** Returns a record as the array that is written to the log: its kind, its time, and its own fields. */
function encodeRecord({ stamp, event }: LogRecord): readonly unknown[] {
  const { boot, uptime, wall } = stamp;
  return [kindOnDisk(event), boot, Math.ceil(uptime), Math.ceil(wall), ...fieldsOf(event)];
}

function kindOnDisk({ kind }: LimiterEvent): string {
  if (kind === "lost") return lostOnDisk;
  return kind === "uncounted" ? uncountedOnDisk : kind;
}

function fieldsOf(event: LimiterEvent): readonly unknown[] {
  switch (event.kind) {
    case "reserve":
    case "probe":
      return [event.id, event.pid, Math.ceil(Math.min(event.lifeMs, Number.MAX_SAFE_INTEGER))];
    case "alive":
    case "release":
    case "lost":
      return [event.id];
    case "reply":
      return [event.id, event.status, rounded(event.waitMs), ...limitFields(event.limits)];
    case "limits":
      return limitFields(event.limits);
    case "uncounted":
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

/** Returns the record of an array from the log; undefined if it is not a record. */
function decodeRecord(row: readonly unknown[]): LogRecord | undefined {
  // Most of the limiter's cost is reading rows in code that is not compiled yet, where destructuring
  // and spreading take three times as long (test/bench/limiter/replay.ts).
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
    case "alive":
    case "release":
      return isText(a) ? { kind, id: a } : undefined;
    case lostOnDisk:
      return isText(a) ? { kind: "lost", id: a } : undefined;
    case "reply":
      return isText(a) && isCount(b) ? decodeReply(a, b, row) : undefined;
    case "limits":
      return { kind, limits: decodeLimits(row, 4) };
    case uncountedOnDisk:
      return isCount(a) ? { kind: "uncounted", count: a } : undefined;
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

function decodeReply(id: string, status: number, row: readonly unknown[]): LimiterEvent {
  const waitMs = isCount(row[6]) ? row[6] : undefined;
  return { kind: "reply", id, status, waitMs, limits: decodeLimits(row, 7) };
}

function decodeLimits(row: readonly unknown[], from: number): ObservedLimits {
  const limit = row[from];
  const remaining = row[from + 1];
  const reset = row[from + 2];
  const endsIn = row[from + 3];
  return {
    limit: isCount(limit) ? limit : undefined,
    remaining: isCount(remaining) ? remaining : undefined,
    reset: isNumber(reset) ? reset : undefined,
    endsIn: isCount(endsIn) ? endsIn : undefined,
  };
}

// Snapshots copy these from segment to segment, so they must not grow.
const shortText = /^[!-~]{1,16}$/;
const isText = (value: unknown): value is string =>
  typeof value === "string" && shortText.test(value);
const isBoot = (value: unknown): value is string => value === "" || isText(value);
const isNumber = (value: unknown): value is number => Number.isSafeInteger(value);
const isCount = (value: unknown): value is number => isNumber(value) && value >= 0;

/** One line of a log. */
export type LogLine =
  | { readonly record: LogRecord }
  /** The first line of a segment: the final state of the previous one. */
  | { readonly snapshot: readonly LogRecord[] };

const snapshotWord = "begin";

/**
 * Returns a record as a line of the log. The line break comes first, so that a truncated record costs
 * only itself; as JSON it can't be mistaken for a complete one.
 */
export function encodeLogRecord(record: LogRecord): string {
  return `\n${JSON.stringify(encodeRecord(record))}`;
}

/** Returns the first line of a segment; leaves out records that could not be read again. */
export function encodeSnapshot(snapshot: readonly LogRecord[]): string {
  const rows = snapshot.map(encodeRecord).filter((row) => decodeRecord(row) !== undefined);
  return `\n${JSON.stringify([snapshotWord, ...rows])}`;
}

/** Decodes lines without their breaks; undefined for each that is invalid or truncated. */
export function decodeLines(texts: readonly string[]): readonly (LogLine | undefined)[] {
  return parseRows(texts).map((row) => (Array.isArray(row) ? lineOf(row) : undefined));
}

/** Parses all texts at once, in a third of the time of one call each (test/bench/limiter/replay.ts). */
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
  if (row[0] !== snapshotWord) {
    const record = decodeRecord(row);
    return record && { record };
  }
  const snapshot = row
    .slice(1)
    .map((item) => (Array.isArray(item) ? decodeRecord(item) : undefined));
  return snapshot.every((record) => record !== undefined) ? { snapshot } : undefined;
}
