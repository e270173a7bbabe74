import { type Allowance, planAllowances, unlimited } from "../../core/api.ts";
import { planNames } from "../../core/enums.ts";
import { formatCount, plural } from "../../core/format.ts";
import { parseDuration } from "../../core/times.ts";

/** The lengths of the two windows in which requests are counted, in ms: the shorter one, and the longer one. */
export interface WindowLengths {
  readonly minute: number;
  readonly day: number;
}

/** The windows of the service. */
export const defaultWindows: WindowLengths = { minute: 60_000, day: 24 * 60 * 60_000 };

/** How many requests a key may make in each window. */
export interface Plan extends Allowance {
  /** `free`, `pro`, `business`, `enterprise`, or a plan of one's own as it was written. */
  readonly name: string;
  readonly windows: WindowLengths;
}

/** The syntax of a plan, for messages. */
export const planSyntax = `${planNames.join(", ")}, or N/WINDOW[,N/WINDOW] such as 100/min,5000/day or 20/2s, where WINDOW is min, h, day or a duration from 1s to 1d, the shorter first`;

const namedPlans: ReadonlyMap<string, Plan> = new Map(
  planNames.map((name) => [name, { name, ...planAllowances[name], windows: defaultWindows }]),
);

/**
 * Returns the plan that `text` names, or undefined. In a plan of one's own the numbers are 1 to
 * 2147483646; without a second window there is no second limit.
 */
export function parsePlan(text: string): Plan | undefined {
  const named = namedPlans.get(text);
  if (named !== undefined) return named;
  const [short, long, ...others] = text.split(",").map(parseQuota);
  if (short === undefined || others.length > 0) return undefined;
  const { requests: perMinute, ms: minute } = short;
  if (!text.includes(","))
    return { name: text, perMinute, perDay: Infinity, windows: { ...defaultWindows, minute } };
  if (long === undefined || long.ms <= minute) return undefined;
  return { name: text, perMinute, perDay: long.requests, windows: { minute, day: long.ms } };
}

const namedWindows = new Map([
  ["min", defaultWindows.minute],
  ["h", 60 * 60_000],
  ["day", defaultWindows.day],
]);

function parseQuota(text: string): { readonly requests: number; readonly ms: number } | undefined {
  const [, digits, window = ""] = /^([1-9][0-9]{0,9})\/([a-z0-9.]{1,20})$/.exec(text) ?? [];
  const requests = Number(digits ?? 0);
  const isDuration = /^[0-9.]+[a-z]+$/.test(window);
  const ms =
    namedWindows.get(window) ?? (isDuration ? parseDuration(window, { hasDays: true }) : 0);
  const isInRange = ms !== undefined && ms >= 1_000 && ms <= defaultWindows.day;
  return isInRange && requests > 0 && requests < unlimited ? { requests, ms } : undefined;
}

/** Returns the error of a stored key with a plan that this program does not know. */
export function unknownPlan(keyId: string, plan: string): Error {
  return new Error(`the plan of the key ${keyId} is unknown: ${plan}`);
}

/** Formats what a plan allows: `60 requests per minute, 1,000 per day`. */
export function describePlan({ perMinute, perDay, windows }: Plan): string {
  if (perMinute === Infinity) return "no limit";
  const short = `${plural(perMinute, "request")} per ${windowName(windows.minute)}`;
  return perDay === Infinity
    ? short
    : `${short}, ${formatCount(perDay)} per ${windowName(windows.day)}`;
}

const windowNames = new Map([
  [60_000, "minute"],
  [60 * 60_000, "hour"],
  [defaultWindows.day, "day"],
]);

function windowName(ms: number): string {
  return windowNames.get(ms) ?? `${ms / 1000} s`;
}
