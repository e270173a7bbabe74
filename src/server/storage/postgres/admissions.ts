import { admit, type Decision, type Usage } from "../../rate-limits/limits.ts";
import type { Plan } from "../../rate-limits/plans.ts";

/** What is remembered of a key that several stores serve. */
export interface SharedUsage {
  readonly usage: Usage;
  /** The latest moment at which one of them decided on it, in ms since the epoch. */
  readonly seenAt: number;
}

/** Clocks that differ by less, in ms, are taken for one that never goes back. */
const clockSkewMs = 10_000;

/**
 * Decides on requests of one key in their order, as `admit` does, and answers what is to be
 * remembered. `arrivals` are when they came, by the clock of the store that they came to, and
 * `decidedAt` is now by the same clock; all in ms since the epoch.
 *
 * At the turn of a minute one store may be in the new window and another still in the old one: time
 * as one of them saw it does not go back for the others, or each change would begin a new count.
 */
export function admitBatch(
  plan: Plan,
  { usage, seenAt }: SharedUsage,
  arrivals: readonly number[],
  decidedAt: number,
): [readonly Decision[], SharedUsage] {
  const decisions: Decision[] = [];
  let remembered = usage;
  let latest = seenAt;
  for (const arrival of arrivals.map(Math.trunc)) {
    const moment = latest > arrival && latest - arrival < clockSkewMs ? latest : arrival;
    const [decision, next] = admit(plan, remembered, moment);
    decisions.push(decision);
    remembered = withSendTime(next, moment, decidedAt);
    latest = moment;
  }
  return [decisions, { usage: remembered, seenAt: latest }];
}

/** A 429 is sent when it is decided on; what came before that was on its way, however long it waited here. */
function withSendTime(usage: Usage, moment: number, decidedAt: number): Usage {
  const { refusal } = usage;
  if (refusal?.at !== moment || decidedAt <= moment) return usage;
  return { ...usage, refusal: { ...refusal, at: Math.trunc(decidedAt) } };
}
