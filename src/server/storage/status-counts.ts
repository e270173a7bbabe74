import { asPetStatus } from "../../core/pet-fields.ts";
import type { StatusCounts } from "./storage.ts";

/** Returns the counts from rows with a `status` and a `count`. */
export function statusCounts(rows: readonly Readonly<Record<string, unknown>>[]): StatusCounts {
  return new Map(rows.map(({ status, count }) => [asPetStatus(status), Number(count)]));
}

/** Returns how many animals there are. */
export function totalOf(counts: StatusCounts): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
