import * as z from "../vendor/zod.ts";
import { toInt64 } from "./int64.ts";
import { petStatuses } from "./enums.ts";

/** What is wrong with a value, and where (`[3].categoryId`): `place` is empty for the value as a whole. */
export interface Violation {
  readonly place: string;
  readonly rule: string;
}

/** Takes what `parseExact` makes of a number, so only one that is written as an integer. */
const int64 = z.pipe(
  z.transform((input: unknown, context) => {
    const value = toInt64(input);
    if (value !== undefined) return value;
    context.issues.push({ code: "custom", message: "must be an int64, in digits", input });
    return z.NEVER;
  }),
  z.bigint(),
);

const name = z.string("must be a string");
const status = z.optional(z.enum(petStatuses, `must be ${petStatuses.join(", ")} or left out`));
const pet = z.object({ id: int64, name, categoryId: int64, status }, "must be an object");

/**
 * The first rule of api.md for a Pet that a value out of `parseExact` breaks, undefined where it is
 * one. `place` is where it stands.
 */
export function petViolation(value: unknown, place = ""): Violation | undefined {
  const issue = pet.safeParse(value).error?.issues[0];
  if (issue === undefined) return undefined;
  const path = [place, ...issue.path.map(String)].filter((part) => part !== "");
  return { place: path.join("."), rule: issue.message };
}

/** The same for the list of Pets. */
export function petsViolation(value: unknown): Violation | undefined {
  if (!Array.isArray(value)) return { place: "", rule: "must be an array" };
  for (const [index, item] of value.entries()) {
    const violation = petViolation(item, `[${index}]`);
    if (violation !== undefined) return violation;
  }
  return undefined;
}
