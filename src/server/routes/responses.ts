import type { ServerResponse } from "node:http";
import { getRemovedAt } from "../../core/api.ts";
import type { WindowState } from "../rate-limits/windows.ts";
import type { JsonBytes } from "../storage/storage.ts";

/** The reply of a handler. */
export interface RouteReply {
  readonly status: number;
  /** JSON text, unless the headers say otherwise. */
  readonly body: string | JsonBytes;
  /** Writes the reply instead of `body`, for any length of time. */
  readonly stream?: (outgoing: ServerResponse) => void;
  /** Sent in addition to the headers of every reply. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The headers of every reply of `GET /pets/{petId}` that announce its removal: RFC 8594 (Sunset),
 * RFC 9745 (Deprecation, in Unix seconds) and RFC 5829 (the successor).
 */
export const deprecationHeaders = {
  Sunset: new Date(getRemovedAt).toUTCString(),
  Deprecation: "@1764892800",
  Link: '</v1/pets>; rel="successor-version"',
} as const;

/**
 * Returns a function that makes the headers of a reply, dated by `now`, for the store that `storeId`
 * names; `more` are sent in addition to those of every reply.
 */
export function replyHeaders(now: () => number, storeId: () => string | undefined) {
  const date = dateHeader(now);
  return (
    window: WindowState | undefined,
    body: string | JsonBytes | undefined,
    more?: Readonly<Record<string, string>>,
  ): Record<string, string> => {
    const id = storeId();
    return {
      "Content-Type": "application/json",
      // Set here because a reply to HEAD has no body to measure.
      ...(body !== undefined && { "Content-Length": String(Buffer.byteLength(body)) }),
      Date: date(),
      ...(id !== undefined && { "X-Pets-Store": id }),
      ...rateLimitHeaders(window),
      ...more,
    };
  };
}

/** Returns a function that formats `now()` for the Date header (RFC 9110, 6.6.1), once a second. */
function dateHeader(now: () => number): () => string {
  let second = -1;
  let text = "";
  return () => {
    const current = Math.floor(now() / 1000);
    if (current !== second) text = new Date(current * 1000).toUTCString();
    second = current;
    return text;
  };
}

/** Returns the rate limit headers (api.md, Limits); the reset in Unix seconds. */
function rateLimitHeaders(window: WindowState | undefined): Record<string, string> {
  if (window === undefined) return {};
  return {
    "X-RateLimit-Limit": String(window.limit),
    "X-RateLimit-Remaining": String(window.remaining),
    "X-RateLimit-Reset": String(Math.ceil(window.resetAt / 1000)),
  };
}
