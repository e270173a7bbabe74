import type { StoreShapes } from "../api/store-shapes.ts";

/** A request below /v1 that has ended, as `GET /_store/requests` shows it (`help store`). */
export type RequestEntry = StoreShapes["request"];

/** The part of an entry that the page lists; a long path is cut. */
export type RequestRow = Pick<
  RequestEntry,
  "id" | "time" | "keyId" | "method" | "path" | "status" | "durationMs" | "fault" | "early"
>;

/** How a request ended, as the page colours it. */
export type Outcome = "ok" | "limited" | "client" | "server" | "none";

export type SecondCounts = Readonly<Partial<Record<Outcome, number>>>;

/** The counts of some seconds since the epoch, and the current time in ms; a second that is left out has no requests. */
export interface RatesUpdate {
  readonly now: number;
  readonly seconds: readonly (readonly [second: number, counts: SecondCounts])[];
}

/** Returns how a request ended; without a status, there was no response. */
export function outcomeOf({ status }: { readonly status: number | null | undefined }): Outcome {
  if (status === null || status === undefined) return "none";
  if (status === 429) return "limited";
  if (status >= 500) return "server";
  return status >= 400 ? "client" : "ok";
}

/** The `keyId` of a request that was admitted without a key: that of the page. */
export const pageKeyId = "page";
