import { usageFailure } from "../core/errors.ts";
import { truncate } from "../core/strings.ts";

/**
 * Returns the fields to show: the names given to `--fields`, trimmed and without repeats. Throws a
 * usage Failure for an empty name and for one that is not in `allowed`, with the closest one that is.
 */
export async function chooseFields(
  names: readonly string[],
  allowed: readonly string[],
): Promise<readonly string[]> {
  const chosen = names.map((name) => name.trim());
  if (chosen.length === 0 || chosen.includes("")) throw emptyName(allowed);
  const unknown = chosen.find((name) => !allowed.includes(name));
  if (unknown !== undefined) throw await unknownName(unknown, allowed);
  return [...new Set(chosen)];
}

function emptyName(allowed: readonly string[]) {
  return usageFailure(`--fields must be field names separated by commas: ${allowed.join(", ")}`);
}

async function unknownName(name: string, allowed: readonly string[]) {
  const { closeMatch } = await import("../core/strings.ts");
  const meant = closeMatch(name, allowed);
  const what = `unknown field ${JSON.stringify(truncate(name, 60))} in --fields`;
  const all = `the fields are ${allowed.join(", ")}`;
  return meant === undefined
    ? usageFailure(`${what}; ${all}`)
    : usageFailure(`${what}; did you mean "${meant}"?`, all);
}
