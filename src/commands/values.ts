import { parseInt64 } from "../api/int64.ts";
import { isEmptyName, petRules } from "../api/pet-rules.ts";
import { asPetStatus, pageSize, parsePageSize, type PetStatus, petStatuses } from "../api/types.ts";
import { usageFailure } from "../errors.ts";

/** All values of an option that may be given more than once. */
export const collect = (value: string, earlier: readonly string[] = []): readonly string[] => [
  ...earlier,
  value,
];

/** The page size that `text` spells, 1 to 100 in digits alone. Throws a usage Failure. */
export function parseLimit(text: string): number {
  const limit = parsePageSize(text);
  if (limit !== undefined) return limit;
  const allowed = `a whole number from ${pageSize.min} to ${pageSize.max}, in digits alone`;
  throw usageFailure(`--limit must be ${allowed}, not ${quote(text)}`);
}

/**
 * The int64 that `text` spells (contract.md: `-?(0|[1-9][0-9]*)`). `name` is the flag or argument
 * that it was given for. Throws a usage Failure.
 */
export function parseId(text: string, name: string): bigint {
  const id = parseInt64(text);
  if (id !== undefined) return id;
  throw usageFailure(`${name} ${petRules.categoryId}, not ${quote(text)}`);
}

/** The status that `text` names. Throws a usage Failure that offers the nearest one. */
export async function parseStatus(text: string, name: string): Promise<PetStatus> {
  const status = asPetStatus(text);
  if (status !== undefined) return status;
  const { nearest } = await import("../nearest.ts");
  throw usageFailure(
    `${name} ${petRules.status}, not ${quote(text)}`,
    `did you mean ${nearest(text, petStatuses)}?`,
  );
}

/** The name of an animal, as it is. Throws a usage Failure when nothing is left after trimming. */
export function parseName(text: string, name: string): string {
  if (!isEmptyName(text)) return text;
  throw usageFailure(`${name} ${petRules.name}, and is ${quote(text)}`);
}

function quote(text: string): string {
  return JSON.stringify(text);
}
