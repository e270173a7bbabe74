import * as fc from "fast-check";
import type {
  LimiterEvent,
  LogRecord,
  Timestamp,
} from "../../../src/rate-limiter/rules/records.ts";
import { applyRecord } from "../../../src/rate-limiter/rules/reducer.ts";
import { emptyState, type LimiterState } from "../../../src/rate-limiter/rules/state.ts";

/** When the machine of these tests was started, in ms since the epoch. */
export const startedAt = Date.UTC(2026, 10, 21, 12);

/** Returns the time `uptime` ms after the machine was started. */
export function stamp(uptime: number, boot = "boot"): Timestamp {
  return { boot, uptime, wall: startedAt + uptime };
}

/** An event and its time. */
export type Timed = readonly [uptime: number, event: LimiterEvent];

/** Returns the events with their times, in order. */
export const timed = (...events: readonly Timed[]): readonly Timed[] => events;

export function record([uptime, event]: Timed): LogRecord {
  return { stamp: stamp(uptime), event };
}

/** Returns the state after the events, read at `now`. */
export function stateOf(events: readonly Timed[], now = 1e6): LimiterState {
  const state = emptyState();
  for (const event of events) applyRecord(state, record(event), stamp(now));
  return state;
}

export const reserve = (id: string, lifeMs = 35_000): LimiterEvent => ({
  kind: "reserve",
  id,
  pid: 1,
  lifeMs,
});

export const probe = (id: string, pid = 1): LimiterEvent => {
  return { kind: "probe", id, pid, lifeMs: 35_000 };
};

export const release = (id: string): LimiterEvent => ({ kind: "release", id });

export const lost = (id: string): LimiterEvent => ({ kind: "lost", id });

/** Returns a reply of 200 with a window of 10 that ends in a minute by default. */
export function ok(id: string, remaining?: number, endsIn = 60_000, reset = 1e12) {
  const limits = remaining === undefined ? {} : { limit: 10, remaining, reset, endsIn };
  return { kind: "reply", id, status: 200, ...limits } as const;
}

/** Returns a reply of 429, optionally with the window of `ok`. */
export function refused(id: string, waitMs: number, remaining?: number) {
  return { ...ok(id, remaining), status: 429, waitMs } as const;
}

/** Returns a reply of 503 that asks to wait. */
export const unavailable = (id: string, waitMs: number) => {
  return { ...ok(id), status: 503, waitMs } as const;
};

const ids = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
const ms = fc.nat(120_000);
const life = fc.oneof(ms, fc.nat(4000));
const limit = fc.constantFrom(5, 10, 1000);
const limits = fc
  .record({ limit, remaining: fc.nat(5), reset: fc.constantFrom(1e12, 1e12 + 9000), endsIn: ms })
  .chain((known) => fc.constantFrom(known, { limit: known.limit, remaining: known.remaining }, {}));
const reply = (status: number) =>
  fc.tuple(ids, limits).map(([id, observed]) => {
    return Object.assign({ kind: "reply" as const, id, status }, observed);
  });
/** Any event of a few permits. */
export const anyEvent: fc.Arbitrary<LimiterEvent> = fc.oneof(
  fc.record({ kind: fc.constantFrom("reserve", "probe"), id: ids, pid: fc.nat(3), lifeMs: life }),
  fc.record({ kind: fc.constantFrom("release", "lost"), id: ids }),
  reply(200),
  ...[429, 503].map((status) =>
    fc.tuple(reply(status), ms).map(([refusal, waitMs]) => Object.assign(refusal, { waitMs })),
  ),
);
