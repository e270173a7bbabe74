import { ApiError, badRequest, notFound } from "../api/errors.ts";
import type { completeResponses, RouteResponse } from "../api/response.ts";
import { type Admitted, type Arrived, carriedOut, isBelow } from "../http/exchange.ts";
import type { Answered } from "../http/server.ts";
import { StorageError } from "../storage/storage.ts";
import { presentedKey } from "./own-key.ts";

/** Returns the response to a request, or throws an ApiError. `parameter` is what matched `{…}` in the path of its route. */
export type RouteHandler = (
  admitted: Admitted,
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

/** The paths that begin with `prefix`, known or not, and who may send requests there. */
export interface Area {
  readonly prefix: string;
  /** Checks who sends a request, reads its body, and decides on it. What it throws is the response. */
  admit(request: Arrived, isPage: boolean): Promise<Admitted>;
}

const everybody: Pick<Area, "admit"> = {
  admit: async (request, isPage) => ({ request, isPage, decision: carriedOut }),
};

interface RouterParts {
  readonly areas: readonly Area[];
  readonly routes: readonly Route[];
  readonly complete: ReturnType<typeof completeResponses>;
  /** Returns whether the page sent a request. */
  readonly isPage: (request: Arrived) => boolean;
  /** Returns the response for an error. */
  readonly failed: (error: unknown) => ApiError;
}

/** Returns what makes the response to every request: its area admits it, then its route's handler carries it out. */
export function createRouter({ areas, routes, complete, isPage, failed }: RouterParts) {
  const patterns = routes.map((route) => ({ route, pattern: pathPattern(route.path) }));
  const handle = (admitted: Admitted): RouteResponse | Promise<RouteResponse> => {
    const { host, path: asked, method } = admitted.request;
    if (host === undefined)
      throw badRequest("there must be one Host header, with a valid host in it");
    for (const { route, pattern } of patterns) {
      const [path, parameter = ""] = pattern.exec(asked) ?? [];
      if (path === undefined) continue;
      route.checkParameter?.(parameter);
      return handlerOf(route, method)(admitted, parameter);
    }
    // The base URL may lack its version, or have one slash too many.
    const below = `/v1${asked.replaceAll(/\/{2,}/g, "/").replace(/^\/v1(?=\/)/, "")}`;
    const isBelowV1 = below !== asked && patterns.some(({ pattern }) => pattern.test(below));
    throw notFound(`there is nothing at this path${isBelowV1 ? "; the API is below /v1" : ""}`);
  };
  const admit = async (request: Arrived): Promise<Admitted> => {
    const isOfPage = isPage(request);
    const area = areas.find(({ prefix }) => isBelow(request.path, prefix)) ?? everybody;
    try {
      return await area.admit(request, isOfPage);
    } catch (error) {
      const decision = { carryOut: false as const, reply: failed(error) };
      return { request, isPage: isOfPage, key: presentedKey(request).key, decision };
    }
  };
  const carryOut = async (admitted: Admitted): Promise<RouteResponse> => {
    try {
      return await handle(admitted);
    } catch (error) {
      return failed(error);
    }
  };
  return async (request: Arrived): Promise<Answered> => {
    const admitted = await admit(request);
    const { decision } = admitted;
    const own = decision.carryOut ? await carryOut(admitted) : decision.reply;
    const response = complete(decision.reply ?? own, decision.window);
    return { admitted, response, added: own.added };
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
export function toApiError(error: unknown, onError: (error: unknown) => void): ApiError {
  if (error instanceof ApiError) return error;
  const problem = error instanceof StorageError ? error.problem : "refused";
  if (problem !== "lost") onError(error);
  if (problem === "refused") return new ApiError(500, "internal", `the store failed; ${maybeDone}`);
  const unknown = problem === "unavailable" ? "" : `; ${maybeDone}`;
  const message = `the data cannot be used at the moment${unknown}`;
  return new ApiError(503, "unavailable", message, { "Retry-After": "1" });
}
