import { stringifyExact } from "../../core/json/stringify.ts";
import { ApiError, badRequest, forbidden, notFound } from "../api/errors.ts";
import { parseObject } from "../api/pet-json.ts";
import type { RouteResponse } from "../api/response.ts";
import { bodyOf, readBody } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import { isForeignPage, isLocalRequest } from "../http/local-request.ts";
import type { Verdict } from "../judge/judge.ts";
import type { Storage } from "../storage/storage.ts";
import { requireOwnKey } from "./auth.ts";
import type { Area, Route } from "./router.ts";

/** Returns the area below `/_store`: the operator's key or the page is required, and no limit counts. */
export function storeArea(storage: Pick<Storage, "findKey" | "readKey">): Area {
  return {
    prefix: "/_store",
    admit: async (exchange) => {
      checkOwnOrigin(exchange);
      if (!exchange.isPage) {
        const key = await requireOwnKey(storage.readKey, exchange);
        const message = "this path needs the operator's key, which `pets keys list` marks";
        if (!key.isOperator) throw new ApiError(403, "unauthorized", message);
      }
      exchange.body = await readBody(exchange);
      return { carryOut: true };
    },
  };
}

/** Throws an ApiError for a request from another machine, for another name (DNS rebinding), or from another page. */
export function checkOwnOrigin(exchange: Exchange): void {
  if (!isLocalRequest(exchange)) throw notFound("there is nothing at this path");
  if (!isForeignPage(exchange)) return;
  throw forbidden("other pages and servers may not ask here");
}

/** Returns a response that no cache keeps. */
export function jsonResponse(value: unknown): RouteResponse {
  return jsonText(JSON.stringify(value));
}

/** Returns a response that no cache keeps, of finished JSON text. */
export function jsonText(body: string): RouteResponse {
  return { status: 200, body, headers: { "Cache-Control": "no-store" } };
}

/** Returns the JSON object in the body of a request. Throws an ApiError (400) that shows an `example`. */
export function readObject(exchange: Exchange, example: string): Readonly<Record<string, unknown>> {
  const body = bodyOf(exchange);
  try {
    return parseObject(body);
  } catch {
    throw badRequest(`the body must be a JSON object such as ${example}`);
  }
}

/** Returns the routes of `pets store stop` and `check`: each is undefined unless the store was started for it. */
export function controlRoutes(
  stop: (() => object) | undefined,
  check: (() => Verdict) | undefined,
): readonly Route[] {
  return [
    {
      path: "/_store/stop",
      POST: () => {
        if (stop === undefined)
          throw forbidden("the store was not started with --detach: stop it where it runs");
        return jsonResponse(stop());
      },
    },
    {
      path: "/_store/check",
      GET: () => {
        if (check === undefined) throw forbidden("the store was not started with --check");
        return jsonText(stringifyExact(check()));
      },
    },
  ];
}
