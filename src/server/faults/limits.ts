import { type AdmissionDecision, inFlightGraceMs } from "../rate-limits/limits.ts";
import type { Plan } from "../rate-limits/plans.ts";
import type { ForcedRefusal, LocalLedger, UsageLedger } from "../rate-limits/usage-ledger.ts";
import { ApiError } from "../routes/errors.ts";
import type { RequestCounter } from "../inspect/request-counter.ts";
import { type FaultedRequest, requestContext } from "./request.ts";

/** The Retry-After of a forced 429: the smallest value, to keep tests short. */
const forcedSeconds = 1;

/** The decision on a request, and the wait that its reply announces. */
interface FaultDecision {
  readonly decision: AdmissionDecision | ForcedRefusal;
  readonly wait?: { readonly code: WaitCode; readonly until: number };
}

interface AdmissionRequest {
  readonly keyId: string;
  readonly plan: Plan;
  readonly now: number;
}

/**
 * Wraps `limits` with the faults of requests, and counts requests during announced waits. A forced 429
 * applies only if the limits admit the request, counts in no window, and leads to no ban (store.md,
 * Limits). `clock` is the store's, in ms since the epoch.
 */
export function faultyLimits(limits: LocalLedger, counter: RequestCounter, clock: () => number) {
  const waits = announcedWaits(clock);
  const admit = async (
    request: FaultedRequest,
    asked: AdmissionRequest,
  ): Promise<FaultDecision["decision"]> => {
    const { keyId, plan } = asked;
    // For a request that the limits refuse nothing is drawn, and its body need not arrive.
    const { isOpen } = limits.peek(keyId, plan, asked.now);
    const drawLuck = isOpen ? await request.prepareLuck(keyId) : () => {};
    const now = clock();
    const met = waits.activeWait(keyId, request.arrivedAt, now);
    const { decision, wait } =
      met?.isOnTheWay === true && met.code === "rate_limited"
        ? rateLimited(limits.peek(keyId, plan, now).window, met.until)
        : await decideFaulted(limits, request, { keyId, plan, now }, drawLuck);
    const isBanned = wait?.code === "key_banned";
    if (isBanned) counter.countBan(keyId, wait.until);
    request.notes.isEarly = met === undefined ? isBanned : !met.isOnTheWay;
    if (request.notes.isEarly) counter.countEarly();
    if (wait !== undefined) request.onSent = waits.announce(keyId, { ...wait, now });
    return decision;
  };
  const ledger: UsageLedger = {
    admit: (keyId, plan, now) => {
      const request = requestContext.getStore();
      return request === undefined
        ? limits.admit(keyId, plan, now)
        : admit(request, { keyId, plan, now });
    },
    countAnonymous: (address, now) => limits.countAnonymous(address, now),
    usagesOf: (keyIds, now) => limits.usagesOf(keyIds, now),
  };
  const clear = (): void => {
    limits.clear();
    waits.clear();
  };
  return { book: ledger, clear };
}

async function decideFaulted(
  limits: LocalLedger,
  request: FaultedRequest,
  { keyId, plan, now }: AdmissionRequest,
  drawLuck: () => void,
): Promise<FaultDecision> {
  const { window, isOpen } = limits.peek(keyId, plan, now);
  if (isOpen) drawLuck();
  if (isOpen && request.fault === "429") {
    request.injected = "429";
    return {
      decision: { allowed: false, window, code: "forced", error: forcedRateLimit() },
      wait: { code: "forced", until: now + forcedSeconds * 1000 },
    };
  }
  const decision = await limits.admit(keyId, plan, now);
  if (!decision.allowed) return { decision, wait: decision };
  request.injected = request.fault;
  const isError = request.fault === "500";
  const error = isError ? forcedError() : request.headerError;
  if (error === undefined) return { decision };
  const { window: counted } = decision;
  const isHandled = isError && !request.beforeCommit;
  return { decision: { allowed: false, window: counted, code: "forced", error, isHandled } };
}

function rateLimited(window: AdmissionDecision["window"], until: number): FaultDecision {
  const decision = { allowed: false, window, code: "rate_limited", until, isEarly: false } as const;
  return { decision, wait: decision };
}

function forcedRateLimit(): ApiError {
  const message = `a 429 was requested, whatever the limit; wait ${forcedSeconds} s`;
  return new ApiError(429, "rate_limited", message, { "Retry-After": String(forcedSeconds) });
}

function forcedError(): ApiError {
  return new ApiError(500, "internal", "a 500 was requested");
}

/** Why a key has to wait: for its limits, for a ban, or for a forced 429. */
type WaitCode = "rate_limited" | "key_banned" | "forced";

/** A wait that was announced to a key. Times are ms since the epoch, by the store's clock. */
interface TrackedWait {
  readonly code: WaitCode;
  readonly until: number;
  readonly announcedAt: { at: number };
}

interface DecidedWait {
  readonly code: WaitCode;
  readonly until: number;
  readonly now: number;
}

/** A wait during which a request arrived. */
interface ActiveWait {
  readonly code: WaitCode;
  readonly until: number;
  /** Whether the request was sent before its client could know about the wait. */
  readonly isOnTheWay: boolean;
}

/**
 * Tracks the waits announced to keys. A reply may be delayed, and a client knows about a wait only after
 * its reply was sent: that is why the limits can't do this themselves.
 */
function announcedWaits(clock: () => number) {
  const waits = new Map<string, TrackedWait>();
  return {
    /** Returns the wait in force at `moment` for a request that arrived at `arrivedAt`. */
    activeWait: (keyId: string, arrivedAt: number, moment: number): ActiveWait | undefined => {
      const wait = waits.get(keyId);
      if (wait === undefined || wait.until <= moment) return undefined;
      const { code, until, announcedAt } = wait;
      return { code, until, isOnTheWay: arrivedAt <= announcedAt.at + inFlightGraceMs };
    },
    /** Stores a wait decided at `now`. Returns a function to call when its reply is sent. */
    announce: (keyId: string, { code, until, now }: DecidedWait): (() => void) => {
      const earlier = waits.get(keyId);
      const goesOn =
        earlier !== undefined && earlier.until > now && isForced(earlier) === (code === "forced");
      const announcedAt = goesOn ? earlier.announcedAt : { at: Infinity };
      waits.set(keyId, { code, until, announcedAt });
      return () => {
        announcedAt.at = Math.min(announcedAt.at, clock());
      };
    },
    clear: (): void => waits.clear(),
  };
}

function isForced({ code }: TrackedWait): boolean {
  return code === "forced";
}
