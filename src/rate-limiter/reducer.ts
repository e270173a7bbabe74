import { type LimiterState, maxWaitMs, type Permit } from "./state.ts";
import {
  ageOf,
  type LogRecord,
  type ObservedLimits,
  type ReplyInfo,
  type Timestamp,
} from "./log/records.ts";
import { updateWindows } from "./windows.ts";

/** No request is believed to be on its way for longer, in ms. */
const longestLife = maxWaitMs;
/** A request that was lost is counted by the service within this time, in ms, or never. */
const countedWithin = 2000;

/**
 * Takes one record into `state`. `now` is the moment of reading, on whose timeline the state is kept.
 * A record from the future is left out (rate-limits.md, The gate).
 */
export function applyRecord(
  state: LimiterState,
  { stamp, event }: LogRecord,
  now: Timestamp,
): void {
  const age = ageOf(stamp, now);
  if (age === undefined) return;
  const at = now.uptime - age;
  // Not when they are read but when they were written decides who was late: so all come to the same.
  if ("id" in event && state.places.has(event.id)) expirePermits(state, at);
  switch (event.kind) {
    case "reserve":
    case "probe": {
      const { id, pid, lifeMs, kind } = event;
      const expiresAt = at + Math.min(lifeMs, longestLife);
      const place = { id, pid, at, expiresAt, probe: kind === "probe" };
      state.places.set(id, { ...place, afterBackoff: true });
      state.nextExpiry = Math.min(state.nextExpiry, expiresAt);
      return;
    }
    case "release":
      state.places.delete(event.id);
      return;
    case "end":
      if (state.places.delete(event.id)) addUncounted(state, 1, at);
      return;
    case "reply":
      applyReply(state, event.id, event, at);
      return;
    case "limits":
      observe(state, event.limits, at);
      return;
    case "lost":
      addUncounted(state, event.count, at);
      return;
    case "block":
      startBackoff(state, event.status, at + event.waitMs, at);
      state.strikes = event.strikes;
      return;
    case "seal":
      return;
    default:
      throw new TypeError(`unknown event ${String(event satisfies never)}`);
  }
}

function applyReply(state: LimiterState, id: string, reply: ReplyInfo, at: number): void {
  const place = state.places.get(id);
  state.places.delete(id);
  observe(state, reply.limits, at, windowOf(reply));
  if (reply.waitMs !== undefined) {
    // Requests that were on their way together were refused once.
    if (state.block === undefined || place?.afterBackoff) state.strikes += 1;
    startBackoff(state, reply.status, at + reply.waitMs, at);
  } else if (place !== undefined) {
    clearBackoff(state, place);
  }
}

/**
 * A window that a refusal says is used up is over with the wait that it asks for, though its reset
 * may be later: `Retry-After` comes first (rate-limits.md, How long).
 */
function windowOf({ status, limits, waitMs }: ReplyInfo): ObservedLimits {
  const { remaining, endsIn } = limits;
  if (status !== 429 || remaining !== 0 || waitMs === undefined || endsIn === undefined)
    return limits;
  return { ...limits, endsIn: Math.min(endsIn, waitMs) };
}

/** A reply to a request from before the last refusal says nothing of the wait. */
function clearBackoff(state: LimiterState, { at, afterBackoff }: Permit): void {
  // Its own reply told of what the service had counted by then.
  if (state.uncounted.at + countedWithin < at) state.uncounted = { count: 0, at: 0 };
  if (!afterBackoff) return;
  state.block = undefined;
  state.strikes = 0;
}

function startBackoff(state: LimiterState, status: number, until: number, at: number): void {
  const end = Math.min(until, at + maxWaitMs);
  // A wait is never made shorter by another (rate-limits.md).
  if (state.block === undefined || end >= state.block.until) state.block = { until: end, status };
  for (const [id, place] of state.places) {
    if (place.afterBackoff) state.places.set(id, { ...place, afterBackoff: false });
  }
}

function observe(state: LimiterState, limits: ObservedLimits, at: number, window = limits): void {
  state.windows = updateWindows(state.windows, window, at);
  const { reset: _reset, ...seen } = limits;
  if (seen.limit !== undefined || seen.remaining !== undefined)
    state.lastObserved = { limits: seen, at };
}

function addUncounted(state: LimiterState, count: number, at: number): void {
  state.uncounted = { count: state.uncounted.count + count, at: Math.max(state.uncounted.at, at) };
}

/** Forgets the places whose requests must be over by `at`: they may have been counted. */
export function expirePermits(state: LimiterState, at: number): void {
  if (at < state.nextExpiry) return;
  for (const { id, expiresAt } of state.places.values()) {
    if (expiresAt <= at && state.places.delete(id)) addUncounted(state, 1, expiresAt);
  }
  state.nextExpiry = Math.min(...[...state.places.values()].map(({ expiresAt }) => expiresAt));
}
