import { type Outcome, outcomeOf, type RequestRow } from "../../../request-log/types.ts";

/** Which requests are shown; an empty text shows all. */
export interface Filters {
  readonly outcome: Outcome | "";
  /** The id of a key, `page`, or `-` for requests without a valid key. */
  readonly key: string;
  /** Part of a method and path, in any case. */
  readonly path: string;
}

export const noFilters: Filters = { outcome: "", key: "", path: "" };

/** Returns the key filter's value for a request. */
export function keyChoice({ keyId }: Pick<RequestRow, "keyId">): string {
  return keyId ?? "-";
}

/** Returns whether `entry` is shown. */
export function matches(entry: RequestRow, { outcome, key, path }: Filters): boolean {
  if (outcome !== "" && outcomeOf(entry) !== outcome) return false;
  if (key !== "" && keyChoice(entry) !== key) return false;
  return path === "" || `${entry.method} ${entry.path}`.toLowerCase().includes(path.toLowerCase());
}

/** Returns whether any filter is set. */
export function isFiltered({ outcome, key, path }: Filters): boolean {
  return outcome !== "" || key !== "" || path !== "";
}
