import type { Exchange } from "../http/exchange.ts";
import type { AdmissionDecision } from "../rate-limits/limits.ts";
import type { Plan } from "../rate-limits/plans.ts";
import type { LocalLedger } from "../rate-limits/usage-ledger.ts";
import type { RequestGate } from "../routes/auth.ts";
import { announcedWaits } from "./announced-waits.ts";
import type { FaultPlanner } from "./fault-planner.ts";
import type { Trouble } from "./trouble.ts";

type GateDecision = Awaited<ReturnType<RequestGate["admit"]>>;

/** A request that is being decided on. */
interface Applicant {
  readonly exchange: Exchange;
  readonly keyId: string;
  readonly plan: Plan;
  readonly now: number;
}

/**
 * Admits requests by `limits`, with the trouble that `planner` plans, and counts requests during announced waits.
 * A forced 429 applies only if the limits admit the request, counts in no window, and leads to no ban.
 */
export function labAdmission(limits: LocalLedger, planner: FaultPlanner, clock: () => number) {
  const waits = announcedWaits();
  const admit = async (exchange: Exchange, keyId: string, plan: Plan): Promise<GateDecision> => {
    // For a request that the limits refuse nothing is planned, and its body need not arrive.
    const { isOpen } = limits.peek(keyId, plan, clock());
    const planTrouble = await planner.prepare(exchange, keyId, isOpen);
    const now = clock();
    const wait = waits.inForce(keyId, exchange, now);
    const applicant = { exchange, keyId, plan, now };
    exchange.isEarly = wait?.isOnTheWay === false;
    if (wait?.isOnTheWay === true && wait.code === "rate_limited") {
      const { window } = limits.peek(keyId, plan, now);
      waits.announce(keyId, exchange, wait, now);
      return { allowed: false, window, code: "rate_limited", until: wait.until, isEarly: false };
    }
    const { window, isOpen: isStillOpen } = limits.peek(keyId, plan, now);
    const trouble = isStillOpen ? planTrouble() : undefined;
    exchange.fault = trouble ?? exchange.fault;
    if (trouble?.response?.status === 429) {
      const until = now + trouble.waitMs;
      if (trouble.waitMs > 0) waits.announce(keyId, exchange, { code: "forced", until }, now);
      return { allowed: true, window, ...forcedBy(trouble) };
    }
    const isPastGrace = wait === undefined ? undefined : !wait.isOnTheWay;
    const decision = await limits.admit(keyId, plan, now, isPastGrace);
    if (decision.allowed) return { ...decision, ...forcedBy(trouble) };
    return refuse(applicant, decision, wait === undefined);
  };
  const refuse = (
    { exchange, keyId, now }: Applicant,
    decision: AdmissionDecision & { readonly allowed: false },
    isUnannounced: boolean,
  ): GateDecision => {
    waits.announce(keyId, exchange, decision, now);
    // After a restart a ban is in force that this process has announced to nobody.
    const isEarly = isUnannounced ? decision.code === "key_banned" : exchange.isEarly;
    return { ...decision, isEarly };
  };
  const clear = (): void => {
    limits.clear();
    waits.clear();
  };
  return { admit, clear };
}

function forcedBy(trouble: Trouble | undefined) {
  return { forced: trouble?.response, isHandled: trouble?.isKept === true };
}
