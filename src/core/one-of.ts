import { usageFailure } from "./errors.ts";

/**
 * That of `allowed` which `text` names. Throws a usage Failure that lists them; `name` is the flag or
 * the variable that it was given for.
 */
export function parseChoice<Allowed extends string>(
  text: string,
  allowed: readonly Allowed[],
  name: string,
): Allowed {
  const found = allowed.find((each) => each === text);
  if (found !== undefined) return found;
  throw usageFailure(`${name} must be one of ${allowed.join(", ")}, not ${JSON.stringify(text)}`);
}
