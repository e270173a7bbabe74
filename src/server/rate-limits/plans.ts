import { planNames } from "../../core/enums.ts";
import { type Allowance, planAllowances, unlimited } from "../../core/api.ts";

/** How many requests a key may make. */
export interface Plan extends Allowance {
  /** `free`, `pro`, `business`, `enterprise`, or `M/min,D/day`. */
  readonly name: string;
}

/** The syntax of a plan, for messages. */
export const planSyntax = `${planNames.join(", ")}, or M/min,D/day such as 100/min,5000/day`;

const custom = /^(?<minute>[1-9][0-9]{0,9})\/min,(?<day>[1-9][0-9]{0,9})\/day$/;

/**
 * Returns the plan that `text` names (api.md, Request rate; store.md, Starting it), or undefined.
 * Custom numbers are 1 to 2147483646.
 */
export function parsePlan(text: string): Plan | undefined {
  const name = planNames.find((each) => each === text);
  if (name !== undefined) return { name, ...planAllowances[name] };
  const groups = custom.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const [perMinute, perDay] = [Number(groups.minute), Number(groups.day)];
  return Math.max(perMinute, perDay) < unlimited ? { name: text, perMinute, perDay } : undefined;
}

/** Returns the error of a stored key with a plan that this program does not know. */
export function unknownPlan(keyId: string, plan: string): Error {
  return new Error(`the plan of the key ${keyId} is unknown: ${plan}`);
}

/** Formats what a plan allows: `60 requests a minute, 1,000 a day`. */
export function describePlan({ perMinute, perDay }: Plan): string {
  if (perMinute === Infinity) return "no limit";
  const [minute, day] = [perMinute, perDay].map((count) => count.toLocaleString("en-US"));
  return `${minute} ${perMinute === 1 ? "request" : "requests"} a minute, ${day} a day`;
}
