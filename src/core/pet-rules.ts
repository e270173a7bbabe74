import { petStatuses } from "./enums.ts";
import { int64Max, int64Min, isWholeNumber } from "./int64.ts";

// The rules of single fields, for the schema in pet.ts and for flags. `--help` loads this file, so it
// must not import zod.

/** One of the statuses that an animal may have. */
export type PetStatus = (typeof petStatuses)[number];

/** Returns the rule for ids that `text` breaks: that it is a whole number, or that it has 64 bits. */
export function brokenIdRule(text: string): string {
  return isWholeNumber(text)
    ? `must be from ${int64Min} to ${int64Max}`
    : "must be a whole number such as 7 or -7";
}

/** Returns whether nothing is left of `name` after trimming. */
export function isEmptyName(name: string): boolean {
  return name.trim() === "";
}

/** Returns `value` if it is one of the statuses. */
export function asPetStatus(value: unknown): PetStatus | undefined {
  return petStatuses.find((status) => status === value);
}
