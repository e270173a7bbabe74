import { sqliteCode } from "../../platform/sqlite-lock.ts";
import { ApiError, badRequest, ClientDisconnected, notFound } from "../api/errors.ts";
import type { ApiResponse, completeResponses, RouteResponse } from "../api/response.ts";
import { type Exchange, isBelow } from "../http/exchange.ts";
import { DatabaseUnavailable } from "../storage/postgres/database.ts";

/** Returns the response to a request, or throws an ApiError. `parameter` is what matched `{…}` in the path of its route. */
export type RouteHandler = (
  exchange: Exchange,
  parameter: string,
) => RouteResponse | Promise<RouteResponse>;

/** One line of the table of routes. */
export interface Route {
  /** As in OpenAPI; `{…}` matches one segment, and a path has one at most. */
  readonly path: string;
  /** Also handles HEAD, for which node:http leaves the body out. */
  readonly GET?: RouteHandler;
  readonly POST?: RouteHandler;
  /** Throws an ApiError (404) for an invalid parameter, before another method gets a 405. */
  readonly checkParameter?: (parameter: string) => void;
}

/** The paths that begin with `prefix`, known or not, and who may send requests there. */
export interface Area {
  readonly prefix: string;
  /** Checks who sends a request, reads its body, and decides on it. Throws an ApiError for one that is not admitted. */
  admit(exchange: Exchange): Promise<void>;
  /** Completes what is known of a request that was not admitted, unless its limits refused it. */
  readonly onRefusal?: (exchange: Exchange) => void;
}

/** What a router routes. */
interface RouterParts {
  readonly areas: readonly Area[];
  readonly routes: readonly Route[];
  /** Adds the headers of every response. */
  readonly complete: ReturnType<typeof completeResponses>;
  /** Returns whether the page sent a request. */
  readonly isPage: (exchange: Exchange) => boolean;
  /** Called with an unexpected error, for which the client gets a 500 or 503. */
  readonly onError: (error: unknown) => void;
}

/**
 * Returns the function that makes the response to every request: its area admits it; then the Host, the path and the
 * method are checked, and the rest by the route's handler.
 */
export function createRouter({ areas, routes, complete, isPage, onError }: RouterParts) {
  const patterns = routes.map((route) => ({ route, pattern: pathPattern(route.path) }));
  const areaOf = (path: string) => areas.find(({ prefix }) => isBelow(path, prefix));
  const handle = (exchange: Exchange): ReturnType<RouteHandler> => {
    if (exchange.host === undefined)
      throw badRequest("there must be one Host header, with a valid host in it");
    const { handler, parameter } = findHandler(patterns, exchange);
    return handler(exchange, parameter);
  };
  return async (exchange: Exchange): Promise<ApiResponse> => {
    exchange.isPage = isPage(exchange);
    const area = areaOf(exchange.path);
    let forced: RouteResponse | undefined;
    try {
      await area?.admit(exchange);
      forced = exchange.fault?.response;
      if (forced !== undefined && !exchange.isHandled) return complete(forced, exchange.window);
      const response = await handle(exchange);
      return complete(forced ?? response, exchange.window);
    } catch (error) {
      if (exchange.window === undefined) area?.onRefusal?.(exchange);
      const response = toApiError(error, onError);
      return complete(forced ?? response, exchange.window);
    }
  };
}

/** Returns the handler of a request, and its parameter. Throws an ApiError (404, 405). */
function findHandler(
  patterns: readonly { readonly route: Route; readonly pattern: RegExp }[],
  { path, method }: Exchange,
) {
  for (const { route, pattern } of patterns) {
    const match = pattern.exec(path);
    if (match !== null)
      return { handler: handlerOf(route, method, match[1] ?? ""), parameter: match[1] ?? "" };
  }
  throw notFound("there is nothing at this path");
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", String.raw`\.`).replace(/\{\w+\}/, "([^/]+)")}$`);
}

function handlerOf(route: Route, method: string, parameter: string): RouteHandler {
  const isRead = method === "GET" || method === "HEAD";
  const handler = isRead ? route.GET : method === "POST" && route.POST;
  if (handler) return handler;
  route.checkParameter?.(parameter);
  const allowed = [route.GET && "GET, HEAD", route.POST && "POST"].filter(Boolean).join(", ");
  throw new ApiError(405, "method_not_allowed", `the methods allowed here are ${allowed}`, {
    Allow: allowed,
  });
}

const maybeDone = "the request may have been carried out";

/** Returns the ApiError to send for `error`, and reports an unexpected error to `onError`. */
export function toApiError(error: unknown, onError: (error: unknown) => void): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ClientDisconnected) return badRequest(error.message);
  onError(error);
  if (!isTransient(error)) return new ApiError(500, "internal", `the store failed; ${maybeDone}`);
  const isUnknown = error instanceof DatabaseUnavailable && error.isUnanswered;
  const message = `the data cannot be used at the moment${isUnknown ? `; ${maybeDone}` : ""}`;
  return new ApiError(503, "unavailable", message, { "Retry-After": "1" });
}

// SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_READONLY, SQLITE_FULL
// (https://sqlite.org/rescode.html).
const transientSqliteCodes: ReadonlySet<number | undefined> = new Set([5, 6, 7, 8, 13]);

/**
 * Returns whether the database refused and stored nothing for a temporary reason: busy, out of memory,
 * read-only, a full disk. An I/O error is not one: the data may have been stored.
 */
function isTransient(error: unknown): boolean {
  return error instanceof DatabaseUnavailable || transientSqliteCodes.has(sqliteCode(error));
}
