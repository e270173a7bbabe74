import { type Decision, inFlightGraceMs } from "../rate-limits/limits.ts";
import type { Plan } from "../rate-limits/plans.ts";
import type { ForcedRefusal, LocalLedger, UsageLedger } from "../rate-limits/usage-ledger.ts";
import { ApiError } from "../routes/errors.ts";
import type { LabCounter } from "./counters.ts";
import { type LabRequest, requestContext } from "./request.ts";

/** What a forced 429 asks to wait: the least that Retry-After can say, to keep tests short. */
const forcedSeconds = 1;

/** What is decided about a request, and the wait that it is told of. */
interface Verdict {
  readonly decision: Decision | ForcedRefusal;
  readonly wait?: { readonly code: WaitCode; readonly until: number };
}

interface Asked {
  readonly keyId: string;
  readonly plan: Plan;
  readonly now: number;
}

/**
 * `limits` with the trouble that a request is to meet there, and with an eye on who keeps to the waits
 * announced. What is forced comes after what the limits themselves refuse, counts in no window, and
 * leads to no ban (store.md, Limits). `clock` is the store's, in ms since the epoch.
 */
export function labLimits(limits: LocalLedger, counter: LabCounter, clock: () => number) {
  const waits = labWaits(clock);
  const admit = async (request: LabRequest, asked: Asked): Promise<Verdict["decision"]> => {
    const { keyId, plan, now } = asked;
    const met = waits.meet(keyId, request.arrivedAt, now);
    const { decision, wait } =
      met?.isOnTheWay === true && met.code === "rate_limited"
        ? refusal(limits.look(keyId, plan, now).window, met.until)
        : await decide(limits, request, asked);
    const isBanned = wait?.code === "key_banned";
    if (isBanned) counter.countBan(keyId, wait.until);
    if (met === undefined ? isBanned : !met.isOnTheWay) counter.countEarly();
    if (wait !== undefined) request.onSent = waits.announce(keyId, { ...wait, now });
    return decision;
  };
  const book: UsageLedger = {
    admit: (keyId, plan, now) => {
      const request = requestContext.getStore();
      return request === undefined
        ? limits.admit(keyId, plan, now)
        : admit(request, { keyId, plan, now });
    },
    countAnonymous: (address, now) => limits.countAnonymous(address, now),
  };
  const clear = (): void => {
    limits.clear();
    waits.clear();
  };
  return { book, clear };
}

async function decide(
  limits: LocalLedger,
  request: LabRequest,
  { keyId, plan, now }: Asked,
): Promise<Verdict> {
  const { window, isOpen } = limits.look(keyId, plan, now);
  if (isOpen && request.fault === "429") {
    request.injected = "429";
    return {
      decision: { allowed: false, window, code: "forced", problem: tooMany() },
      wait: { code: "forced", until: now + forcedSeconds * 1000 },
    };
  }
  const decision = await limits.admit(keyId, plan, now);
  if (!decision.allowed) return { decision, wait: decision };
  request.injected = request.fault;
  const problem = request.fault === "500" ? failure() : request.problem;
  if (problem === undefined) return { decision };
  return { decision: { allowed: false, window: decision.window, code: "forced", problem } };
}

function refusal(window: Decision["window"], until: number): Verdict {
  const decision = { allowed: false, window, code: "rate_limited", until } as const;
  return { decision, wait: decision };
}

function tooMany(): ApiError {
  const message = `a 429 was asked for, whatever the limit; wait ${forcedSeconds} s`;
  return new ApiError(429, "rate_limited", message, { "Retry-After": String(forcedSeconds) });
}

function failure(): ApiError {
  return new ApiError(500, "internal", "a 500 was asked for");
}

/** Why a key was told to wait: by its limits, for a ban, or by the lab alone. */
type WaitCode = "rate_limited" | "key_banned" | "forced";

/** A wait that a key was told of. Moments are ms since the epoch, by the store's clock. */
interface Wait {
  readonly code: WaitCode;
  readonly until: number;
  readonly announcedAt: { at: number };
}

interface Decided {
  readonly code: WaitCode;
  readonly until: number;
  readonly now: number;
}

/** A wait that a request came into. */
interface ActiveWait {
  readonly code: WaitCode;
  readonly until: number;
  /** Whether the request was on its way before the wait could be known. */
  readonly isOnTheWay: boolean;
}

/**
 * The waits that keys were told of. A reply may be held back, and a wait is known from when it went
 * out: that is why this is not left to the limits.
 */
function labWaits(clock: () => number) {
  const waits = new Map<string, Wait>();
  return {
    /** The wait in force at `moment` for a request that arrived at `arrivedAt`. */
    meet: (keyId: string, arrivedAt: number, moment: number): ActiveWait | undefined => {
      const wait = waits.get(keyId);
      if (wait === undefined || wait.until <= moment) return undefined;
      const { code, until, announcedAt } = wait;
      return { code, until, isOnTheWay: arrivedAt <= announcedAt.at + inFlightGraceMs };
    },
    /** Remembers a wait decided on at `now`; what is answered has to be called when it is told. */
    announce: (keyId: string, { code, until, now }: Decided): (() => void) => {
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

function isForced({ code }: Wait): boolean {
  return code === "forced";
}
