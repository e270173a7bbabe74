import { reserveOf } from "./fair-share.ts";
import type { LimiterState, Permit } from "./state.ts";
import { mostConstrained } from "./windows.ts";

/** How many requests may be in flight while the limits are not known (`help rate-limits`). */
const maxUnknownInFlight = 5;
/** How long others wait for a probe after its last sign of life. */
const probeLeaseMs = 10_000;

/** Why a request has to wait, and for how long at most. */
export type WaitCondition =
  /** The service asked for a back-off, with this status. */
  | { readonly reason: "blocked"; readonly status: number; readonly ms: number }
  /** All `limit` requests of a window are used or in flight, except those that are `reserved` for other commands. */
  | {
      readonly reason: "used_up";
      readonly limit: number;
      readonly reserved?: number;
      readonly ms: number;
    }
  /** A probe is in flight; or the replies to those in flight will announce the limits. */
  | { readonly reason: "probing" | "learning"; readonly ms: number };

/** Whether a request may be sent, and whether as a probe; else what it has to wait for. */
export type PermitDecision =
  | { readonly go: true; readonly probe: boolean }
  | (WaitCondition & { readonly go: false });

/** The request for which a decision is made. */
export interface Asker {
  readonly id?: string | undefined;
  /** For an import, which leaves a share to others: how many requests it still has to send, including this one. */
  readonly rowsLeft?: number;
  /** The part of every window that it must leave, from 0 to 90. */
  readonly reservePercent?: number;
  /** Whether it may be sent during a back-off that no 429 asked for: it asks whether the service is back. */
  readonly despite503?: boolean | undefined;
  /** Whether it waits for the response to any other request while the limits are not known. */
  readonly waitsForFirstReply?: boolean;
}

/** Decides what a request may do at `now`, by the permits that were requested before its own (`help rate-limits`). */
export function decide(state: LimiterState, now: number, asker: Asker = {}): PermitDecision {
  const ahead = permitsAhead(state, asker.id);
  const condition =
    backoffCondition(state, ahead, now, asker) ??
    windowCondition(state, ahead, now, asker) ??
    reserveCondition(state, ahead, now, asker);
  if (condition !== undefined) return { ...condition, go: false };
  return { go: true, probe: state.backoff !== undefined };
}

/** Decides at `now` whether the permit of `asker` is still valid. */
export function recheckPermit(state: LimiterState, now: number, asker: Asker): PermitDecision {
  const permit = state.permits.get(asker.id ?? "");
  const isProbe = permit?.probe === true && permit.afterBackoff;
  // A probe was acquired with knowledge of the back-off, which may be that of a 503.
  const decision = decide(state, now, { despite503: isProbe, ...asker });
  if (!decision.go || !decision.probe) return decision;
  // A process that can't see this one (another PID namespace) may have swept its permit.
  if (permit === undefined || isProbe) return decision;
  return { go: false, reason: "probing", ms: 0 };
}

function permitsAhead({ permits }: LimiterState, id: string | undefined): readonly Permit[] {
  const all = [...permits.values()];
  const own = all.findIndex((permit) => permit.id === id);
  return own === -1 ? all : all.slice(0, own);
}

function backoffCondition(
  { backoff }: LimiterState,
  ahead: readonly Permit[],
  now: number,
  { despite503 = false }: Asker,
): WaitCondition | undefined {
  if (backoff === undefined) return undefined;
  const { bannedUntil } = backoff;
  const { until, status } = despite503 ? { until: bannedUntil, status: 429 } : backoff;
  if (until > now) return { reason: "blocked", status, ms: until - now };
  const probe = ahead.find(
    (permit) => permit.probe && permit.afterBackoff && permit.aliveAt + probeLeaseMs > now,
  );
  return probe && { reason: "probing", ms: probe.aliveAt + probeLeaseMs - now };
}

function windowCondition(
  { windows, uncounted }: LimiterState,
  ahead: readonly Permit[],
  now: number,
  { waitsForFirstReply, reservePercent = 0 }: Asker,
): WaitCondition | undefined {
  const window = mostConstrained(windows, now);
  if (window !== undefined) {
    const { limit, remaining, endsAt } = window;
    if (ahead.length + uncounted.count < remaining) return undefined;
    return { reason: "used_up", limit, ms: endsAt - now };
  }
  // As few requests as possible may be too many for what must be left to others.
  const maxInFlight = waitsForFirstReply || reservePercent > 0 ? 1 : maxUnknownInFlight;
  if (ahead.length < maxInFlight) return undefined;
  const ms = Math.min(...ahead.map(({ expiresAt }) => expiresAt)) - now;
  return { reason: "learning", ms: Math.max(0, ms) };
}

/** Returns what an import has to wait for because it leaves a share of a window to other commands. */
function reserveCondition(
  { windows, uncounted }: LimiterState,
  ahead: readonly Permit[],
  now: number,
  { rowsLeft, reservePercent = 0 }: Asker,
): WaitCondition | undefined {
  if (rowsLeft === undefined) return undefined;
  for (const window of windows) {
    if (window.endsAt <= now) continue;
    const free = window.remaining - ahead.length - uncounted.count;
    const reserve = reserveOf(window, now, free, { rowsLeft, reservePercent });
    if (reserve === undefined || free > reserve.requests) continue;
    const { requests: reserved, until } = reserve;
    return { reason: "used_up", limit: window.limit, reserved, ms: until - now };
  }
  return undefined;
}

/** Returns true if other requests end the condition, so that its `ms` are only an upper bound. */
export function isOpenEnded({ reason }: Pick<WaitCondition, "reason">): boolean {
  return reason === "probing" || reason === "learning";
}
