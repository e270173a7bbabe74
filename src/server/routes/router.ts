import { ApiError, badRequest, notFound } from "../api/errors.ts";
import type { ApiResponse, completeResponses, RouteResponse } from "../api/response.ts";
import { type Exchange, isBelow } from "../http/exchange.ts";
import { StorageError } from "../storage/storage.ts";

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
  /** Throws an ApiError (404) for an invalid parameter, whatever the method. */
  readonly checkParameter?: (parameter: string) => void;
}

/** Whether a request is carried out, and what is sent in place of its own response, if anything is. */
export type Admission =
  | { readonly carryOut: true; readonly reply?: RouteResponse | undefined }
  | { readonly carryOut: false; readonly reply: RouteResponse };

/** The paths that begin with `prefix`, known or not, and who may send requests there. */
export interface Area {
  readonly prefix: string;
  /** Checks who sends a request, reads its body, and decides on it. Throws an ApiError for one that is not admitted. */
  admit(exchange: Exchange): Promise<Admission>;
}

const everybody = { admit: async (): Promise<Admission> => ({ carryOut: true }) };

interface RouterParts {
  readonly areas: readonly Area[];
  readonly routes: readonly Route[];
  readonly complete: ReturnType<typeof completeResponses>;
  /** Returns whether the page sent a request. */
  readonly isPage: (exchange: Exchange) => boolean;
  /** Called with an unexpected error, for which the client gets a 500 or 503. */
  readonly onError: (error: unknown) => void;
}

/** Returns what makes the response to every request: its area admits it, then its route's handler carries it out. */
export function createRouter({ areas, routes, complete, isPage, onError }: RouterParts) {
  const patterns = routes.map((route) => ({ route, pattern: pathPattern(route.path) }));
  const failed = (error: unknown): ApiError => toApiError(error, onError);
  const handle = async (exchange: Exchange): Promise<RouteResponse> => {
    if (exchange.host === undefined)
      throw badRequest("there must be one Host header, with a valid host in it");
    for (const { route, pattern } of patterns) {
      const [path, parameter = ""] = pattern.exec(exchange.path) ?? [];
      if (path === undefined) continue;
      route.checkParameter?.(parameter);
      return handlerOf(route, exchange.method)(exchange, parameter);
    }
    throw notFound("there is nothing at this path");
  };
  return async (exchange: Exchange): Promise<ApiResponse> => {
    exchange.isPage = isPage(exchange);
    const area = areas.find(({ prefix }) => isBelow(exchange.path, prefix)) ?? everybody;
    const { carryOut, reply } = await area
      .admit(exchange)
      .catch((error: unknown) => ({ carryOut: false as const, reply: failed(error) }));
    const own = carryOut ? await handle(exchange).catch(failed) : reply;
    return complete(reply ?? own, exchange.window);
  };
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", String.raw`\.`).replace(/\{\w+\}/, "([^/]+)")}$`);
}

function handlerOf({ GET, POST }: Route, method: string): RouteHandler {
  const isRead = method === "GET" || method === "HEAD";
  const handler = isRead ? GET : method === "POST" && POST;
  if (handler) return handler;
  const Allow = [GET && "GET, HEAD", POST && "POST"].filter(Boolean).join(", ");
  const message = `the methods allowed here are ${Allow}`;
  throw new ApiError(405, "method_not_allowed", message, { Allow });
}

const maybeDone = "the request may have been carried out";

/** Returns the ApiError to send for `error`, and reports an unexpected error to `onError`. */
function toApiError(error: unknown, onError: (error: unknown) => void): ApiError {
  if (error instanceof ApiError) return error;
  onError(error);
  const problem = error instanceof StorageError ? error.problem : "refused";
  if (problem === "refused") return new ApiError(500, "internal", `the store failed; ${maybeDone}`);
  const unknown = problem === "unanswered" ? `; ${maybeDone}` : "";
  const message = `the data cannot be used at the moment${unknown}`;
  return new ApiError(503, "unavailable", message, { "Retry-After": "1" });
}
