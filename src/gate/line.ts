import type { GateEvent, GateRecord, SeenLimits } from "./records.ts";
import type { Stamp } from "./stamp.ts";

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

/** The first line of a file, with what is carried over. */
export function beginLine(carried: readonly GateRecord[]): string {
  return `\n${JSON.stringify([beginning, ...carried.map(rowOf)])}`;
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

function rowOf({ stamp, event }: GateRecord): readonly unknown[] {
  const { boot, uptime, wall } = stamp;
  return [event.kind, boot, Math.ceil(uptime), Math.ceil(wall), ...fieldsOf(event)];
}

function fieldsOf(event: GateEvent): readonly unknown[] {
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

function limitFields({ limit, remaining, reset, endsIn }: SeenLimits): readonly unknown[] {
  return [limit, remaining, rounded(reset), rounded(endsIn)];
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.ceil(ms);
}

function recordOf([kind, boot, uptime, wall, ...fields]: readonly unknown[]):
  | GateRecord
  | undefined {
  if (typeof boot !== "string" || !isNumber(uptime) || !isNumber(wall)) return undefined;
  const stamp: Stamp = { boot, uptime, wall };
  const event = eventOf(kind, fields);
  return event && { stamp, event };
}

function eventOf(kind: unknown, fields: readonly unknown[]): GateEvent | undefined {
  const [a, b, c] = fields;
  switch (kind) {
    case "reserve":
    case "probe":
      return isText(a) && isCount(b) && isCount(c) ? { kind, id: a, pid: b, lifeMs: c } : undefined;
    case "release":
    case "end":
      return isText(a) ? { kind, id: a } : undefined;
    case "reply":
      return replyOf(fields);
    case "limits":
      return { kind, limits: limitsOf(fields) };
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

function replyOf([id, status, wait, ...limits]: readonly unknown[]): GateEvent | undefined {
  if (!isText(id) || !isCount(status)) return undefined;
  const waitMs = isCount(wait) && { waitMs: wait };
  return { kind: "reply", id, status, ...waitMs, limits: limitsOf(limits) };
}

function limitsOf([limit, remaining, reset, endsIn]: readonly unknown[]): SeenLimits {
  return {
    ...(isCount(limit) && { limit }),
    ...(isCount(remaining) && { remaining }),
    ...(isNumber(reset) && { reset }),
    ...(isCount(endsIn) && { endsIn }),
  };
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isNumber = (value: unknown): value is number => Number.isSafeInteger(value);
const isCount = (value: unknown): value is number => isNumber(value) && value >= 0;
