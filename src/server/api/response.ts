import { getRemovedAt } from "../../core/api.ts";
import type { NewPet } from "../../core/pet.ts";

/** The values of the rate limit headers: counts of requests, and a time in ms since the epoch. */
export interface WindowState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
}

/** What a handler returns. */
export interface RouteResponse {
  readonly status: number;
  /** JSON text, unless the headers say otherwise. */
  readonly body: string | Uint8Array;
  /** In addition to those of every response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Yields the response instead of `body`, for any length of time, until `signal` is aborted. */
  readonly stream?: (signal: AbortSignal) => AsyncIterable<string>;
  /** The animal that was added; not sent. */
  readonly added?: { readonly id: bigint; readonly pet: NewPet };
}

/** A response with all its headers, as it is sent where nothing goes wrong. */
export type ApiResponse = RouteResponse & Required<Pick<RouteResponse, "headers">>;

/** Announce the removal of `GET /pets/{petId}` (RFC 8594, 9745, in Unix seconds, and 5829). */
export const deprecationHeaders = {
  Sunset: new Date(getRemovedAt).toUTCString(),
  Deprecation: "@1764892800",
  Link: '</v1/pets>; rel="successor-version"',
} as const;

/** Returns a function that adds the headers of every response: of the time, the store, and the window of the key. */
export function completeResponses(now: () => number, storeId: () => string) {
  let second = Number.NaN;
  let date = "";
  return (response: RouteResponse, window: WindowState | undefined): ApiResponse => {
    const { status, body, stream } = response;
    const current = Math.floor(now() / 1000);
    // Formatted once a second.
    if (current !== second) date = new Date(current * 1000).toUTCString();
    second = current;
    const headers: Record<string, string> = {
      "Content-Type": "application/json",
      Date: date,
      "X-Pets-Store": storeId(),
    };
    if (window !== undefined) {
      headers["X-RateLimit-Limit"] = String(window.limit);
      headers["X-RateLimit-Remaining"] = String(window.remaining);
      headers["X-RateLimit-Reset"] = String(Math.ceil(window.resetAt / 1000));
    }
    // Set here because a response to HEAD has no body to measure; a 204 has none (RFC 9110, 8.6).
    if (stream === undefined && status !== 204)
      headers["Content-Length"] = String(Buffer.byteLength(body));
    if (response.headers !== undefined) Object.assign(headers, response.headers);
    return stream === undefined ? { status, body, headers } : { status, body, headers, stream };
  };
}
