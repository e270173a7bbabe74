import type { Exchange } from "../http/exchange.ts";
import { inFlightGraceMs } from "../rate-limits/limits.ts";
import type { LocalLedger } from "../rate-limits/usage-ledger.ts";
import type { RequestGate } from "../routes/auth.ts";
import type { FaultPlanner } from "./fault-planner.ts";

/**
 * Admits requests by `limits`, with the trouble that `prepare` plans, and counts requests during announced waits.
 * A forced 429 takes the place of the limits, counts in no window, and leads to no ban; another response of a script
 * is sent even where the limits refuse the request, which counts as refused.
 */
export function labAdmission(
  limits: LocalLedger,
  prepare: FaultPlanner["prepare"],
  clock: () => number,
) {
  const waits = announcedWaits();
  const admit: RequestGate["admit"] = async (exchange, keyId, plan) => {
    const { isOpen: wasOpen } = limits.peek(keyId, plan, clock());
    const planTrouble = await prepare(exchange, keyId, wasOpen);
    const now = clock();
    const wait = waits.inForce(keyId, exchange, now);
    exchange.isEarly = wait?.isOnTheWay === false;
    const isInnocent = wait?.isOnTheWay === true && wait.code === "rate_limited";
    const { window, isOpen } = limits.peek(keyId, plan, now);
    const trouble = planTrouble(isOpen && !isInnocent);
    exchange.fault = trouble;
    const { response: forced, waitMs, isKept } = trouble;
    if (forced?.status === 429) {
      const until = now + waitMs;
      if (waitMs > 0) waits.announce(keyId, exchange, { code: "forced", until }, now);
      return { allowed: true, window, forced, isHandled: isOpen && isKept };
    }
    const decision = isInnocent
      ? ({ allowed: false, window, code: "rate_limited", until: wait.until } as const)
      : await limits.admit(keyId, plan, now, wait && !wait.isOnTheWay);
    if (decision.allowed) return { ...decision, forced, isHandled: isKept };
    if (forced !== undefined) return { allowed: true, window, forced };
    waits.announce(keyId, exchange, decision, now);
    // After a restart a ban is in force that this process has announced to nobody.
    const isEarly = wait === undefined ? decision.code === "key_banned" : exchange.isEarly;
    return { ...decision, isEarly };
  };
  const clear = (): void => {
    limits.clear();
    waits.clear();
  };
  return { admit, clear };
}

/** A wait of a key: for its limits, for a ban, or for a forced 429. */
interface Wait {
  readonly code: "rate_limited" | "key_banned" | "forced";
  /** Ms since the epoch by the store's clock. */
  readonly until: number;
}

/**
 * Tracks the waits announced to keys. A response may be delayed, and a client knows about a wait only after
 * it was sent, in real time: that is why the limits cannot do this themselves.
 */
function announcedWaits() {
  /** With when the first response was sent that announced it, by the clock of `Exchange.sentAt`. */
  const waits = new Map<string, Wait & { readonly announcement: { readonly sentAt: number } }>();
  return {
    /** Returns the wait in force at `now`, and whether a request was sent before its client could know about it. */
    inForce: (keyId: string, { arrivedAt }: Exchange, now: number) => {
      const wait = waits.get(keyId);
      if (wait === undefined || wait.until <= now) return undefined;
      return { ...wait, isOnTheWay: arrivedAt <= wait.announcement.sentAt + inFlightGraceMs };
    },
    /** Notes that the response to `exchange`, decided at `now`, announces a wait. */
    announce: (keyId: string, exchange: Exchange, { code, until }: Wait, now: number): void => {
      const earlier = waits.get(keyId);
      const isSameKind = (earlier?.code === "forced") === (code === "forced");
      const goesOn = earlier !== undefined && earlier.until > now && isSameKind;
      exchange.announcement = goesOn ? earlier.announcement : { sentAt: Infinity };
      waits.set(keyId, { code, until, announcement: exchange.announcement });
    },
    clear: (): void => waits.clear(),
  };
}
