import { type Allowance, planAllowances, unlimited } from "../../core/api.ts";
import { planNames } from "../../core/enums.ts";
import { formatCount, plural } from "../../core/format.ts";
import type { Syntax } from "../../core/syntax.ts";
import { parseDuration } from "../../core/times.ts";

export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

/** The windows that have a name in a plan, and their names for people. */
const windows = [
  { name: "min", label: "minute", ms: minuteMs },
  { name: "h", label: "hour", ms: 60 * minuteMs },
  { name: "day", label: "day", ms: dayMs },
];

/** How many requests a key may make in each window of `windowMs`; `Infinity` is no limit. */
export interface Quota {
  readonly limit: number;
  readonly windowMs: number;
}

export interface Plan {
  /** `free`, `pro`, `business`, `enterprise`, or a plan of one's own as it was written. */
  readonly name: string;
  /** One or two, the shorter window first. */
  readonly quotas: readonly Quota[];
}

function quotasOf({ perMinute, perDay }: Allowance): readonly Quota[] {
  return [
    { limit: perMinute, windowMs: minuteMs },
    { limit: perDay, windowMs: dayMs },
  ];
}

/** The quotas of a key whose plan is unknown here: it counts, and refuses nothing. */
export const noQuotas = quotasOf({ perMinute: Infinity, perDay: Infinity });

/** Plans by name: every request asks for one. Those of one's own are as many as the keys that have them. */
const knownPlans = new Map<string, Plan>(
  planNames.map((name) => [name, { name, quotas: quotasOf(planAllowances[name]) }]),
);

/** Returns the plan that `text` names, or undefined. */
export function parsePlan(text: string): Plan | undefined {
  const plan = knownPlans.get(text) ?? readPlan(text);
  if (plan !== undefined) knownPlans.set(text, plan);
  return plan;
}

function readPlan(text: string): Plan | undefined {
  const [short, long, ...others] = text.split(",", 3).map(parseQuota);
  if (short === undefined || others.length > 0) return undefined;
  if (!text.includes(",")) return { name: text, quotas: [short] };
  return long && long.windowMs > short.windowMs ? { name: text, quotas: [short, long] } : undefined;
}

export const planSyntax: Syntax<Plan> = {
  parse: parsePlan,
  allowed: allowedPlan,
  values: planNames,
};

function allowedPlan(text: string): string {
  const parts = text.split(",");
  const wrong = parts.find((part) => parseQuota(part) === undefined);
  if (wrong === undefined)
    return parts.length > 2
      ? "limits for two windows at most"
      : "limits with the shorter window first, such as 20/2s,100/1h";
  const [limit = "", window] = wrong.split("/");
  if (window === undefined)
    return `${planNames.join(", ")} or limits of your own, such as 100/min,5000/day`;
  if (parseQuota(`${limit}/min`) === undefined)
    return `limits from 1 to ${unlimited - 1}, such as 60/min, or enterprise for none`;
  const typed = window.toLowerCase();
  const meant = windows.find(
    ({ name, label }) => label.startsWith(typed) || typed.startsWith(name),
  );
  return `limits per min, h, day or a duration from 1s to 1d, such as ${limit}/${meant?.name ?? "min"}`;
}

function parseQuota(text: string): Quota | undefined {
  const [, digits, window = ""] = /^([1-9][0-9]{0,9})\/(min|h|day|[0-9.]+[a-z]+)$/.exec(text) ?? [];
  const limit = Number(digits ?? 0);
  const named = windows.find(({ name }) => name === window)?.ms;
  const windowMs = named ?? parseDuration(window, { hasDays: true }) ?? 0;
  const isInRange = limit > 0 && limit < unlimited && windowMs >= 1_000 && windowMs <= dayMs;
  return isInRange ? { limit, windowMs } : undefined;
}

/** Returns the error of a stored key with a plan that this program does not know. */
export function unknownPlan(keyId: string, plan: string): Error {
  return new Error(`the plan of the key ${keyId} is unknown: ${plan}`);
}

/** Formats what a plan allows: `60 requests per minute, 1,000 per day`. */
export function describePlan({ quotas }: Plan): string {
  const limited = quotas.filter(({ limit }) => limit < Infinity);
  const parts = limited.map(({ limit, windowMs }, at) => {
    const count = at === 0 ? plural(limit, "request") : formatCount(limit);
    const label = windows.find(({ ms }) => ms === windowMs)?.label;
    return `${count} per ${label ?? `${windowMs / 1000} s`}`;
  });
  return parts.join(", ") || "unlimited";
}
