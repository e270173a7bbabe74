import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";
import type { WindowState } from "../rate-limits/windows.ts";
import type { ApiError } from "./errors.ts";
import type { JsonBytes } from "../storage/storage.ts";

/** What Hono carries along with each request. */
export interface StoreEnv {
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse };
  Variables: {
    /** What the rate headers of the reply tell of; only below /v1. */
    window: WindowState | undefined;
  };
}

/** Makes the replies; each carries the date by the store's clock. */
export interface Replies {
  json(
    context: Context<StoreEnv>,
    status: number,
    body: string | JsonBytes,
    headers?: Readonly<Record<string, string>>,
  ): Response;
  problem(
    context: Context<StoreEnv>,
    problem: ApiError,
    headers?: Readonly<Record<string, string>>,
  ): Response;
}

/** Replies dated by `now` (ms since the epoch). */
export function makeReplies(now: () => number): Replies {
  const headersOf = replyHeaders(now);
  const json: Replies["json"] = (context, status, body, headers) =>
    new Response(body, { status, headers: headersOf(context.get("window"), body, headers) });
  return {
    json,
    problem: (context, problem, headers) =>
      json(context, problem.status, problem.body, { ...headers, ...problem.headers }),
  };
}

/** Makes the headers of a reply, dated by `now`; `more` goes beside those that every reply carries. */
export function replyHeaders(now: () => number) {
  const date = dateHeader(now);
  return (
    window: WindowState | undefined,
    body: string | JsonBytes,
    more?: Readonly<Record<string, string>>,
  ): Record<string, string> => ({
    "Content-Type": "application/json",
    // Told here, because a reply to HEAD has no body to measure.
    "Content-Length": String(Buffer.byteLength(body)),
    Date: date(),
    ...rateHeaders(window),
    ...more,
  });
}

/** The value of `Date` (RFC 9110, 6.6.1) at `now`, made once a second. */
export function dateHeader(now: () => number): () => string {
  let second = -1;
  let text = "";
  return () => {
    const current = Math.floor(now() / 1000);
    if (current !== second) text = new Date(current * 1000).toUTCString();
    second = current;
    return text;
  };
}

/** The rate headers (api.md, Limits); the reset in Unix seconds. */
function rateHeaders(window: WindowState | undefined): Record<string, string> {
  if (window === undefined) return {};
  return {
    "X-RateLimit-Limit": String(window.limit),
    "X-RateLimit-Remaining": String(window.remaining),
    "X-RateLimit-Reset": String(Math.ceil(window.resetAt / 1000)),
  };
}
