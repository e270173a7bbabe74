import { inFlightGraceMs } from "../rate-limits/limits.ts";
import { type EndedRequest, groupByText, toleranceMs } from "./facts.ts";

/** A request that was sent before the `Retry-After` of another one elapsed. */
export interface EarlyRequest<Request> {
  readonly request: Request;
  readonly refused: Request;
}

/**
 * Returns the requests that were sent although their client had been told to wait, in the order in which they
 * were received. One that came within 250 ms of the 429 was on its way, unless the 429 had just been
 * read on its connection; one that came when the limit itself had ended is not early.
 */
export function findEarly<Request extends EndedRequest>(
  requests: readonly Request[],
): readonly EarlyRequest<Request>[] {
  return groupByText(requests, ({ key }) => key)
    .flatMap((ofKey) => findEarlyOfKey(ofKey))
    .toSorted((one, other) => one.request.arrivedAt - other.request.arrivedAt);
}

/** `requests` are those of one key, in the order in which they were received. */
function findEarlyOfKey<Request extends EndedRequest>(
  requests: readonly Request[],
): readonly EarlyRequest<Request>[] {
  const refusals = requests
    .filter(({ wait, isComplete }) => wait !== undefined && isComplete)
    .toSorted((one, other) => one.endedAt - other.endedAt);
  const read = knownWaits(refusals, 0, ({ connection }) => connection);
  const received = knownWaits(refusals, inFlightGraceMs, () => 0);
  return requests.flatMap((request) => {
    const known = [read(request), received(request)];
    const refused = known.find((one) => untilOf(one) - toleranceMs > request.arrivedAtStore);
    return refused === undefined ? [] : [{ request, refused }];
  });
}

/**
 * Returns a function that returns which of the refusals that were sent at least `graceMs` before a request
 * says the longest wait, among those of the same group. It must be called in the order of the requests.
 */
function knownWaits<Request extends EndedRequest>(
  refusals: readonly Request[],
  graceMs: number,
  groupOf: (request: EndedRequest) => number,
) {
  const latest = new Map<number, Request>();
  let next = 0;
  return (request: Request): Request | undefined => {
    for (; next < refusals.length; next += 1) {
      const { [next]: refused } = refusals;
      if (refused === undefined || refused.endedAt + graceMs >= request.arrivedAt) break;
      const group = groupOf(refused);
      if (untilOf(refused) > untilOf(latest.get(group))) latest.set(group, refused);
    }
    return latest.get(groupOf(request));
  };
}

function untilOf(refused: EndedRequest | undefined): number {
  return refused?.wait?.until ?? -Infinity;
}
