import { longestWait } from "./bounds.ts";
import type { GateRecord, Learned, SeenLimits } from "./records.ts";
import { ageOf, type Stamp } from "./stamp.ts";
import type { GateState, Place } from "./state.ts";
import { seeWindow } from "./windows.ts";

/** No request is believed to be on its way for longer, in ms. */
const longestLife = longestWait;
/** A request that was lost is counted by the service within this time, in ms, or never. */
const countedWithin = 2000;

/**
 * Takes one record into `state`. `now` is the moment of reading, on whose timeline the state is kept.
 * A record from the future is left out (rate-limits.md, The gate).
 */
export function applyRecord(state: GateState, { stamp, event }: GateRecord, now: Stamp): void {
  const age = ageOf(stamp, now);
  if (age === undefined) return;
  const at = now.uptime - age;
  // Not when they are read but when they were written decides who was late: so all come to the same.
  if ("id" in event && state.places.has(event.id)) expire(state, at);
  switch (event.kind) {
    case "reserve":
    case "probe": {
      const { id, pid, lifeMs, kind } = event;
      const endsBy = at + Math.min(lifeMs, longestLife);
      const place = { id, pid, at, endsBy, probe: kind === "probe" };
      state.places.set(id, { ...place, afterBlock: true });
      state.nextEnd = Math.min(state.nextEnd, endsBy);
      return;
    }
    case "release":
      state.places.delete(event.id);
      return;
    case "end":
      if (state.places.delete(event.id)) lose(state, 1, at);
      return;
    case "reply":
      learn(state, event.id, event, at);
      return;
    case "limits":
      see(state, event.limits, at);
      return;
    case "lost":
      lose(state, event.count, at);
      return;
    case "block":
      block(state, event.status, at + event.waitMs, at);
      state.strikes = event.strikes;
      return;
    case "seal":
      return;
    default:
      throw new TypeError(`unknown event ${String(event satisfies never)}`);
  }
}

function learn(state: GateState, id: string, reply: Learned, at: number): void {
  const place = state.places.get(id);
  state.places.delete(id);
  see(state, reply.limits, at, windowOf(reply));
  if (reply.waitMs !== undefined) {
    // Requests that were on their way together were refused once.
    if (state.block === undefined || place?.afterBlock) state.strikes += 1;
    block(state, reply.status, at + reply.waitMs, at);
  } else if (place !== undefined) {
    letThrough(state, place);
  }
}

/**
 * A window that a refusal says is used up is over with the wait that it asks for, though its reset
 * may be later: `Retry-After` comes first (rate-limits.md, How long).
 */
function windowOf({ status, limits, waitMs }: Learned): SeenLimits {
  const { remaining, endsIn } = limits;
  if (status !== 429 || remaining !== 0 || waitMs === undefined || endsIn === undefined)
    return limits;
  return { ...limits, endsIn: Math.min(endsIn, waitMs) };
}

/** A reply to a request from before the last refusal says nothing of the wait. */
function letThrough(state: GateState, { at, afterBlock }: Place): void {
  // Its own reply told of what the service had counted by then.
  if (state.lost.at + countedWithin < at) state.lost = { count: 0, at: 0 };
  if (!afterBlock) return;
  state.block = undefined;
  state.strikes = 0;
}

function block(state: GateState, status: number, until: number, at: number): void {
  const end = Math.min(until, at + longestWait);
  // A wait is never made shorter by another (rate-limits.md).
  if (state.block === undefined || end >= state.block.until) state.block = { until: end, status };
  for (const [id, place] of state.places) {
    if (place.afterBlock) state.places.set(id, { ...place, afterBlock: false });
  }
}

function see(state: GateState, limits: SeenLimits, at: number, window = limits): void {
  state.windows = seeWindow(state.windows, window, at);
  const { reset: _reset, ...seen } = limits;
  if (seen.limit !== undefined || seen.remaining !== undefined) state.seen = { limits: seen, at };
}

function lose(state: GateState, count: number, at: number): void {
  state.lost = { count: state.lost.count + count, at: Math.max(state.lost.at, at) };
}

/** Forgets the places whose requests must be over by `at`: they may have been counted. */
export function expire(state: GateState, at: number): void {
  if (at < state.nextEnd) return;
  for (const { id, endsBy } of state.places.values()) {
    if (endsBy <= at && state.places.delete(id)) lose(state, 1, endsBy);
  }
  state.nextEnd = Math.min(...[...state.places.values()].map(({ endsBy }) => endsBy));
}
