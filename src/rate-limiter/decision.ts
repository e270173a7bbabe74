import type { LimiterEvent, ReplyInfo } from "./log/records.ts";
import type { Backoff, LimiterState, Permit } from "./state.ts";
import { mostConstrained } from "./windows.ts";

/** How many requests may be on their way while the limits are not known (rate-limits.md, The gate). */
const maxUnknownInFlight = 5;
/** How long others wait for one that tries whether the service answers again, in ms. */
const probeLease = 45_000;

/** Why a request has to wait. */
export type WaitCondition =
  /** The service asked for a wait, with this status; it lasts `ms` more. */
  | { readonly reason: "blocked"; readonly status: number; readonly ms: number }
  /** All `limit` requests of a window are used up, or on their way; it ends in `ms`. */
  | { readonly reason: "used_up"; readonly limit: number; readonly ms: number }
  /** Another tries whether the service answers again; or those on their way will tell the limits. */
  | { readonly reason: "probing" | "learning"; readonly ms: number };

/** Whether a request may be sent, and as a `probe`; or what it has to wait for, for how many ms at most. */
export type Decision =
  | { readonly go: true; readonly probe: boolean }
  | (WaitCondition & { readonly go: false });

/**
 * What a request may do at the moment `now`: the one that has the place `id`, or one that is about
 * to ask for a place (rate-limits.md, The gate). Only those who asked before it count.
 */
export function decide(state: LimiterState, now: number, id?: string): Decision {
  const ahead = permitsAhead(state, id);
  const { block } = state;
  if (block !== undefined && block.until > now) {
    return deny({ reason: "blocked", status: block.status, ms: block.until - now });
  }
  return (
    probeCondition(block, ahead, now) ??
    windowCondition(state, ahead, now) ?? { go: true, probe: block !== undefined }
  );
}

const deny = (reason: WaitCondition): Decision => ({ ...reason, go: false });

function permitsAhead({ places }: LimiterState, id: string | undefined): readonly Permit[] {
  const ahead: Permit[] = [];
  // A place that is not among them is behind them all.
  for (const place of places.values()) {
    if (place.id === id) break;
    ahead.push(place);
  }
  return ahead;
}

function probeCondition(
  block: Backoff | undefined,
  ahead: readonly Permit[],
  now: number,
): Decision | undefined {
  if (block === undefined) return undefined;
  const probe = ahead.find(
    (place) => place.probe && place.afterBackoff && place.at + probeLease > now,
  );
  return probe && deny({ reason: "probing", ms: probe.at + probeLease - now });
}

function windowCondition(
  { windows, uncounted }: LimiterState,
  ahead: readonly Permit[],
  now: number,
): Decision | undefined {
  const window = mostConstrained(windows, now);
  if (window !== undefined) {
    const { limit, remaining, endsBy } = window;
    if (ahead.length + uncounted.count < remaining) return undefined;
    return deny({ reason: "used_up", limit, ms: endsBy - now });
  }
  if (ahead.length < maxUnknownInFlight) return undefined;
  const ms = Math.min(...ahead.map(({ expiresAt }) => expiresAt)) - now;
  return deny({ reason: "learning", ms: Math.max(0, ms) });
}

/** Whether nobody knows how long it will last, as it is for others to end it: its ms are the most. */
export function isOpenEnded({ reason }: WaitCondition): boolean {
  return reason === "probing" || reason === "learning";
}

/**
 * So many requests that are left are more than all processes could use up before one of them has
 * written down how many are left then. It is what a service says that has no limits.
 */
const unlimitedThreshold = 100_000;
/** For how long, in ms, one request after the other may have the same place, and nothing is written. */
const maxReuseMs = 1000;

/** Whether there are, by what is known at `now`, more requests left than anyone need count. */
export function isEffectivelyUnlimited({ windows }: LimiterState, now: number): boolean {
  return (mostConstrained(windows, now)?.remaining ?? 0) >= unlimitedThreshold;
}

/**
 * Whether the next request may have the place of the one that `event` is the end of, at `now`: its
 * reply tells nothing but that there is plenty still. Two writes for each request would cost a bulk
 * run a quarter of its speed.
 */
export function canReusePermit(
  event: LimiterEvent,
  { places }: LimiterState,
  now: number,
): boolean {
  if (event.kind !== "reply" || !isUninformative(event)) return false;
  const place = places.get(event.id);
  return place !== undefined && now - place.at < maxReuseMs;
}

/** Whether a reply tells nothing but that there is plenty still. */
export function isUninformative({ waitMs, limits: { remaining = 0 } }: ReplyInfo): boolean {
  return waitMs === undefined && remaining >= unlimitedThreshold;
}
