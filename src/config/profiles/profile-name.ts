import { usageFailure } from "../../core/errors.ts";

const rule = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Whether `name` may name a profile (contract.md, Where a setting comes from). */
export function isProfileName(name: string): boolean {
  return rule.test(name);
}

/**
 * `name`, when it may name a profile. `from` names the flag, variable or argument that it came
 * from. Throws a usage Failure.
 */
export function parseProfileName(name: string, from: string): string {
  if (isProfileName(name)) return name;
  const allowed = "1 to 64 letters, digits, '.', '_' or '-', the first a letter or a digit";
  throw usageFailure(`${from} must be ${allowed}, not ${JSON.stringify(name)}`);
}
