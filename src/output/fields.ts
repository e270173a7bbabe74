import { usageFailure } from "../core/errors.ts";
import { closeMatch, truncate } from "../core/strings.ts";

/**
 * Returns the fields to show: the names given to `--fields`, trimmed and without repeats. Throws a
 * usage Failure for an empty name and for one that is not in `allowed`, with the closest one that is.
 */
export function chooseFields(
  names: readonly string[],
  allowed: readonly string[],
): readonly string[] {
  const all = allowed.join(", ");
  const chosen = names.map((name) => name.trim());
  if (chosen.length === 0 || chosen.includes(""))
    throw usageFailure(`--fields must be field names separated by commas: ${all}`);
  const unknown = chosen.find((name) => !allowed.includes(name));
  if (unknown === undefined) return [...new Set(chosen)];
  const meant = closeMatch(unknown, allowed);
  const what = `unknown field ${JSON.stringify(truncate(unknown, 60))} in --fields`;
  throw meant === undefined
    ? usageFailure(`${what}; the fields are ${all}`)
    : usageFailure(`${what}; did you mean "${meant}"?`, `the fields are ${all}`);
}
