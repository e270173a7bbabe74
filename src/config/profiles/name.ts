import { usageFailure } from "../../core/errors.ts";

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const maxLength = 64;

/** Returns whether `name` may name a profile (`help profiles`). */
export function isProfileName(name: string): boolean {
  return name.length <= maxLength && namePattern.test(name);
}

/** Returns `name` if it may name a profile. Throws a usage Failure that names the flag, variable or argument `from`. */
export function parseProfileName(name: string, from: string): string {
  if (isProfileName(name)) return name;
  const allowed =
    name.length > maxLength
      ? `at most ${maxLength} characters`
      : "letters, digits, dots, underscores or hyphens, the first a letter or digit";
  throw usageFailure(`${from} must be ${allowed}, not ${JSON.stringify(name)}`);
}
