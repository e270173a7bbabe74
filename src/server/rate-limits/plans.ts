import { planNames } from "../../core/enums.ts";

/** How many requests a key may make; a window without a number has no limit. */
export interface Plan {
  /** `free`, `pro`, `business`, `enterprise`, or `M/min,D/day`. */
  readonly name: string;
  readonly perMinute: number;
  readonly perDay: number;
}

/** What the rate headers say where there is no limit (store.md, Limits). */
export const unlimited = 2_147_483_647;

const allowances = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: { perMinute: Infinity, perDay: Infinity },
} as const satisfies Record<(typeof planNames)[number], Omit<Plan, "name">>;

/** How a plan is written, for messages. */
export const planSpelling = `${planNames.join(", ")}, or M/min,D/day such as 100/min,5000/day`;

const custom = /^(?<minute>[1-9][0-9]{0,9})\/min,(?<day>[1-9][0-9]{0,9})\/day$/;

/**
 * The plan that `text` names (api.md, Request rate; store.md, Starting it), or undefined. Custom
 * numbers are 1 to 2147483646.
 */
export function parsePlan(text: string): Plan | undefined {
  const name = planNames.find((each) => each === text);
  if (name !== undefined) return { name, ...allowances[name] };
  const groups = custom.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const [perMinute, perDay] = [Number(groups.minute), Number(groups.day)];
  return Math.max(perMinute, perDay) < unlimited ? { name: text, perMinute, perDay } : undefined;
}

/** The error of a key that was kept with a plan that this program does not know. */
export function unknownPlan(keyId: string, plan: string): Error {
  return new Error(`the plan of the key ${keyId} is unknown: ${plan}`);
}

/** What a plan allows, ready to be read: `60 requests a minute, 1,000 a day`. */
export function describePlan({ perMinute, perDay }: Plan): string {
  if (perMinute === Infinity) return "no limit";
  const [minute, day] = [perMinute, perDay].map((count) => count.toLocaleString("en-US"));
  return `${minute} ${perMinute === 1 ? "request" : "requests"} a minute, ${day} a day`;
}
