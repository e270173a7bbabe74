import type { LabCounter } from "./counters.ts";
import { type LabRequest, requestContext } from "./request.ts";
import { labWaits, type WaitCode } from "./lab-waits.ts";
import type { UsageLedger, LocalLedger, ForcedRefusal } from "../rate-limits/usage-ledger.ts";
import type { Decision } from "../rate-limits/limits.ts";
import type { Plan } from "../rate-limits/plans.ts";
import { ApiError } from "../routes/errors.ts";

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
