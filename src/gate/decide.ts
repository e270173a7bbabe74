import type { Block, GateState, Place } from "./state.ts";
import { tightest } from "./windows.ts";

/** How many requests may be on their way while the limits are not known (rate-limits.md, The gate). */
const mostUnknown = 5;
/** How long others wait for one that tries whether the service answers again, in ms. */
const probeLease = 45_000;

/** Why a request has to wait. */
export type Hold =
  /** The service asked for a wait, with this status; it lasts `ms` more. */
  | { readonly why: "blocked"; readonly status: number; readonly ms: number }
  /** All `limit` requests of a window are used up, or on their way; it ends in `ms`. */
  | { readonly why: "used_up"; readonly limit: number; readonly ms: number }
  /** Another tries whether the service answers again; or those on their way will tell the limits. */
  | { readonly why: "probing" | "learning"; readonly ms: number };

/** Whether a request may be sent, and as a `probe`; or what it has to wait for, for how many ms at most. */
export type Decision =
  | { readonly go: true; readonly probe: boolean }
  | (Hold & { readonly go: false });

/**
 * What a request may do at the moment `now`: the one that has the place `id`, or one that is about
 * to ask for a place (rate-limits.md, The gate). Only those who asked before it count.
 */
export function decide(state: GateState, now: number, id?: string): Decision {
  const ahead = placesAhead(state, id);
  const { block } = state;
  if (block !== undefined && block.until > now) {
    return hold({ why: "blocked", status: block.status, ms: block.until - now });
  }
  return (
    waitForProbe(block, ahead, now) ??
    waitForWindow(state, ahead, now) ?? { go: true, probe: block !== undefined }
  );
}

const hold = (why: Hold): Decision => ({ ...why, go: false });

function placesAhead({ places }: GateState, id: string | undefined): readonly Place[] {
  const ahead: Place[] = [];
  // A place that is not among them is behind them all.
  for (const place of places.values()) {
    if (place.id === id) break;
    ahead.push(place);
  }
  return ahead;
}

function waitForProbe(
  block: Block | undefined,
  ahead: readonly Place[],
  now: number,
): Decision | undefined {
  if (block === undefined) return undefined;
  const probe = ahead.find(
    (place) => place.probe && place.afterBlock && place.at + probeLease > now,
  );
  return probe && hold({ why: "probing", ms: probe.at + probeLease - now });
}

function waitForWindow(
  { windows, lost }: GateState,
  ahead: readonly Place[],
  now: number,
): Decision | undefined {
  const window = tightest(windows, now);
  if (window !== undefined) {
    const { limit, remaining, endsBy } = window;
    if (ahead.length + lost.count < remaining) return undefined;
    return hold({ why: "used_up", limit, ms: endsBy - now });
  }
  if (ahead.length < mostUnknown) return undefined;
  const ms = Math.min(...ahead.map(({ endsBy }) => endsBy)) - now;
  return hold({ why: "learning", ms: Math.max(0, ms) });
}
