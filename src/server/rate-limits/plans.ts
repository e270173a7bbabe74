import { type Allowance, planAllowances, unlimited } from "../../core/api.ts";
import { planNames } from "../../core/enums.ts";
import { formatCount, plural } from "../../core/format.ts";
import { parseDuration } from "../../core/times.ts";

export const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** How many requests a key may make in each window of `windowMs`; `Infinity` is no limit. */
export interface Quota {
  readonly limit: number;
  readonly windowMs: number;
}

/** What a key may send. */
export interface Plan {
  /** `free`, `pro`, `business`, `enterprise`, or a plan of one's own as it was written. */
  readonly name: string;
  /** One or two, the shorter window first. */
  readonly quotas: readonly Quota[];
}

/** The syntax of a plan, for messages. */
export const planSyntax = `${planNames.join(", ")}, or N/WINDOW[,N/WINDOW] such as 100/min,5000/day or 20/2s, where WINDOW is min, h, day or a duration from 1s to 1d, the shorter first`;

const namedPlans: ReadonlyMap<string, Plan> = new Map(
  planNames.map((name) => [name, { name, quotas: quotasOf(planAllowances[name]) }]),
);

function quotasOf({ perMinute, perDay }: Allowance): readonly Quota[] {
  return [
    { limit: perMinute, windowMs: minuteMs },
    { limit: perDay, windowMs: dayMs },
  ];
}

/** The quotas of a key whose plan is unknown here: it counts, and refuses nothing. */
export const noQuotas = quotasOf({ perMinute: Infinity, perDay: Infinity });

/**
 * Returns the plan that `text` names, or undefined. In a plan of one's own the numbers are 1 to
 * 2147483646.
 */
export function parsePlan(text: string): Plan | undefined {
  const named = namedPlans.get(text);
  if (named !== undefined) return named;
  const parsed = text.split(",", 3).map(parseQuota);
  const quotas = parsed.filter((quota) => quota !== undefined);
  const [short, long] = quotas;
  if (quotas.length < parsed.length || quotas.length > 2) return undefined;
  return long === undefined || (short && long.windowMs > short.windowMs)
    ? { name: text, quotas }
    : undefined;
}

const namedWindows = new Map([
  ["min", minuteMs],
  ["h", hourMs],
  ["day", dayMs],
]);

function parseQuota(text: string): Quota | undefined {
  const [, digits, window = ""] = /^([1-9][0-9]{0,9})\/([a-z0-9.]{1,20})$/.exec(text) ?? [];
  const limit = Number(digits ?? 0);
  const isDuration = /^[0-9.]+[a-z]+$/.test(window);
  const windowMs =
    namedWindows.get(window) ?? (isDuration ? parseDuration(window, { hasDays: true }) : 0);
  const isInRange = windowMs !== undefined && windowMs >= 1_000 && windowMs <= dayMs;
  return isInRange && limit > 0 && limit < unlimited ? { limit, windowMs } : undefined;
}

/** Returns the error of a stored key with a plan that this program does not know. */
export function unknownPlan(keyId: string, plan: string): Error {
  return new Error(`the plan of the key ${keyId} is unknown: ${plan}`);
}

/** Formats what a plan allows: `60 requests per minute, 1,000 per day`. */
export function describePlan({ quotas }: Plan): string {
  const limited = quotas.filter(({ limit }) => limit < Infinity);
  if (limited.length === 0) return "unlimited";
  return limited
    .map(({ limit, windowMs }, at) => {
      const count = at === 0 ? plural(limit, "request") : formatCount(limit);
      return `${count} per ${windowNames.get(windowMs) ?? `${windowMs / 1000} s`}`;
    })
    .join(", ");
}

const windowNames = new Map([
  [minuteMs, "minute"],
  [hourMs, "hour"],
  [dayMs, "day"],
]);
