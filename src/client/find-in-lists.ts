import { getRemovedAt, pageSize } from "../core/api.ts";
import { petStatuses } from "../core/enums.ts";
import { Failure } from "../core/errors.ts";
import type { AttemptOutcome } from "./http/outcome.ts";
import type { ListQuery } from "./types.ts";

/**
 * Returns true if the reply to `GET /pets/{petId}` says that the endpoint itself is gone: 410; 404 without an Error
 * body (`hasError`); or any 404 from the day of its removal on, by the reply's own `Date`.
 */
export function isEndpointGone(outcome: AttemptOutcome, hasError: boolean): boolean {
  if (outcome.kind !== "reply") return false;
  const { status, date } = outcome.reply;
  if (status === 410) return true;
  if (status !== 404) return false;
  return !hasError || (date !== undefined && date >= getRemovedAt);
}

/** The lists to search: of all animals, which includes those without a status, and of each status. */
export const fallbackQueries: readonly ListQuery[] = [
  { limit: pageSize.max },
  ...petStatuses.map((status) => ({ limit: pageSize.max, status })),
];

/** Returns the Failure for an animal that is in none of the lists; `code` is the service's own, if it sent one. */
export function notFoundInLists(id: bigint, attempts: number, code: string | undefined): Failure {
  const { max } = pageSize;
  const searched = `only the newest ${max} animals overall and the newest ${max} per status can be searched`;
  return new Failure("not_found", `animal ${id} was not found: ${searched}`, {
    ...(code !== undefined && { code }),
    retryable: false,
    attempts,
    searched: true,
    hints: ["the service no longer fetches single animals, so `pets get` searches its lists"],
  });
}
