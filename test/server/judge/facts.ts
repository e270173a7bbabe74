import type { Connection } from "../../../src/server/http/exchange.ts";
import type { EndedRequest } from "../../../src/server/judge/facts.ts";

let connections = 0;

/** Returns a GET of the key `k` on a connection of its own, answered in 1 ms; both clocks are the same. */
export function ask(arrivedAt: number, facts: Partial<EndedRequest> = {}): EndedRequest {
  return {
    key: "k",
    method: "GET",
    target: "/v1/pets",
    connection: (connections -= 1),
    arrivedAt,
    arrivedAtStore: arrivedAt,
    arrivedElapsed: arrivedAt,
    endedAt: arrivedAt + 1,
    status: 200,
    isEarly: false,
    isComplete: true,
    hasLeft: false,
    ...facts,
  };
}

/** Returns the key of a request, and how it arrived. */
export function arrivalOf(request: EndedRequest) {
  const { arrivedAt: real, arrivedAtStore: store, arrivedElapsed: elapsed } = request;
  const connection = { number: request.connection } as Connection;
  return [request.key, { at: { real, store, elapsed }, connection }] as const;
}

/** Returns a request that is told to wait `waitMs` from now on. */
export function refused(
  at: number,
  waitMs = 1_000,
  facts: Partial<EndedRequest> = {},
): EndedRequest {
  const until = at + 1 + waitMs;
  const wait = { until, elapsedUntil: until, isBan: false, isForced: false };
  return ask(at, { status: 429, wait, ...facts });
}

/** How a request ends. */
export const endings = {
  answered: { isComplete: true },
  reset: { status: undefined, isComplete: false },
  "cut off": { isComplete: false },
  failed: { status: 500, isComplete: true },
  left: { status: undefined, isComplete: false, hasLeft: true },
} as const satisfies Record<string, Partial<EndedRequest>>;
export type Ending = keyof typeof endings;

/** What differs between POSTs. */
export interface Add extends Partial<EndedRequest> {
  readonly id?: number;
  readonly name?: string;
}

/** Returns a POST at `at` that adds the animal `id`, or nothing for id 0. */
export function add(
  ending: Ending,
  at: number,
  { id = 1, name = "Rex", ...facts }: Add = {},
): EndedRequest {
  const added = id === 0 ? undefined : { id: BigInt(id), pet: { name, categoryId: 1n } };
  return ask(at, { method: "POST", status: 201, ...endings[ending], added, ...facts });
}
