import {
  ageOf,
  type LimiterEvent,
  type LogRecord,
  type ObservedLimits,
  type ReplyInfo,
  type Timestamp,
} from "./records.ts";
import { type LimiterState, maxBackoffMs, type Permit } from "./state.ts";
import { updateWindows } from "./windows.ts";

const maxPermitLifeMs = 24 * 60 * 60_000;
/** The service counts a lost request within this time, or never. */
const countedWithinMs = 2000;

/** Applies a record, unless it is from the future, to `state`, whose timeline is the uptime of `now`. */
export function applyRecord(
  state: LimiterState,
  { stamp, event }: LogRecord,
  now: Timestamp,
): void {
  const age = ageOf(stamp, now);
  if (age === undefined) return;
  const at = now.uptime - age;
  // A permit expires by the time of the record, not of reading it, so that all readers reach the same state.
  if ("id" in event && state.permits.has(event.id)) expirePermits(state, at);
  switch (event.kind) {
    case "reserve":
    case "probe":
      addPermit(state, event, at);
      return;
    case "alive": {
      const permit = state.permits.get(event.id);
      if (permit !== undefined) state.permits.set(permit.id, { ...permit, aliveAt: at });
      return;
    }
    case "release":
      state.permits.delete(event.id);
      return;
    case "lost":
      if (state.permits.delete(event.id)) addUncounted(state, 1, at);
      return;
    case "reply":
      applyReply(state, event.id, event, at);
      return;
    case "limits":
      observe(state, event, at);
      return;
    case "uncounted":
      addUncounted(state, event.count, at);
      return;
    case "block":
      startBackoff(state, event.status, event.waitMs, at);
      state.strikes = event.strikes;
      return;
    case "lift":
      if ((state.backoff?.bannedUntil ?? 0) <= at) endBackoff(state);
      return;
    case "seal":
  }
}

function addPermit(
  state: LimiterState,
  { id, pid, lifeMs, kind }: LimiterEvent & { readonly kind: "reserve" | "probe" },
  at: number,
): void {
  const expiresAt = at + Math.min(lifeMs, maxPermitLifeMs);
  const probe = kind === "probe";
  state.permits.set(id, { id, pid, at, aliveAt: at, expiresAt, probe, afterBackoff: true });
  state.nextExpiry = Math.min(state.nextExpiry, expiresAt);
}

function applyReply(state: LimiterState, id: string, reply: ReplyInfo, at: number): void {
  const permit = state.permits.get(id);
  state.permits.delete(id);
  observe(state, reply, at, endedByRefusal(reply));
  if (reply.waitMs !== undefined) {
    // Refusals of requests that were in flight together count once.
    if (state.backoff === undefined || permit?.afterBackoff) state.strikes += 1;
    startBackoff(state, reply.status, reply.waitMs, at);
  } else if (permit !== undefined) {
    applySuccess(state, permit);
  }
}

/** Returns the limits of a reply. An exhausted window ends with the delay of its refusal, even before its reset. */
function endedByRefusal(reply: ReplyInfo): ObservedLimits {
  const { status, remaining, endsIn, waitMs } = reply;
  if (status !== 429 || remaining !== 0 || waitMs === undefined || endsIn === undefined)
    return reply;
  return { ...reply, endsIn: Math.min(endsIn, waitMs) };
}

/** Ends the back-off and the count of lost requests, unless the request was sent too early to tell. */
function applySuccess(state: LimiterState, { at, afterBackoff }: Permit): void {
  // Its reply announced what the service had counted by then.
  if (state.uncounted.at + countedWithinMs < at) state.uncounted = { count: 0, at: 0 };
  if (afterBackoff) endBackoff(state);
}

function endBackoff(state: LimiterState): void {
  state.backoff = undefined;
  state.strikes = 0;
}

function startBackoff(state: LimiterState, status: number, waitMs: number, at: number): void {
  const end = at + Math.min(waitMs, maxBackoffMs);
  const known = state.backoff ?? { until: -Infinity, status, bannedUntil: 0, since: at };
  // A back-off is never shortened (`help rate-limits`).
  const longer = end >= known.until ? { until: end, status } : known;
  const bannedUntil = Math.max(known.bannedUntil, status === 429 ? end : 0);
  state.backoff = { ...longer, bannedUntil, since: Math.max(known.since, at) };
  for (const [id, permit] of state.permits)
    if (permit.afterBackoff) state.permits.set(id, { ...permit, afterBackoff: false });
}

function observe(state: LimiterState, limits: ObservedLimits, at: number, window = limits): void {
  state.repliedAt = Math.max(state.repliedAt, at);
  state.windows = updateWindows(state.windows, window, at);
  const { limit, remaining, endsIn } = limits;
  if (limit !== undefined || remaining !== undefined)
    state.lastObserved = { limit, remaining, endsIn, at };
}

function addUncounted(state: LimiterState, count: number, at: number): void {
  state.uncounted = { count: state.uncounted.count + count, at: Math.max(state.uncounted.at, at) };
}

/** Ends the permits that expire by `at`; the service may have counted their requests. */
export function expirePermits(state: LimiterState, at: number): void {
  if (at < state.nextExpiry) return;
  for (const { id, expiresAt } of state.permits.values())
    if (expiresAt <= at && state.permits.delete(id)) addUncounted(state, 1, expiresAt);
  state.nextExpiry = Math.min(...[...state.permits.values()].map(({ expiresAt }) => expiresAt));
}
