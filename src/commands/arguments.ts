import { pageSize } from "../core/api.ts";
import { parseIntInRange, type Range } from "../core/strings.ts";
import { petStatuses } from "../core/enums.ts";
import { usageFailure } from "../core/errors.ts";
import { parseInt64 } from "../core/int64.ts";
import { isEmptyName, petRules, asPetStatus, type PetStatus } from "../core/pet-rules.ts";
import type { Context } from "./context.ts";

/** The page size that `text` spells. Throws a usage Failure. */
export function parseLimit(text: string): number {
  return parseCount(text, "--limit", pageSize);
}

/**
 * The whole number that `text` spells in digits alone. `name` is the flag that it was given for.
 * Throws a usage Failure where it is out of `bounds`.
 */
export function parseCount(text: string, name: string, bounds: Range): number {
  const number = parseIntInRange(text, bounds);
  if (number !== undefined) return number;
  const allowed = `a whole number from ${bounds.min} to ${bounds.max}, in digits alone`;
  throw usageFailure(`${name} must be ${allowed}, not ${quote(text)}`);
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
  const { closestMatch } = await import("../core/strings.ts");
  throw usageFailure(
    `${name} ${petRules.status}, not ${quote(text)}`,
    `did you mean ${closestMatch(text, petStatuses)}?`,
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

/** Whether someone sits at a terminal who can be asked: questions stand on standard error. */
export function isInteractive({ stdin, stderr }: Context): boolean {
  return stdin.isTTY && stderr.isTTY;
}
