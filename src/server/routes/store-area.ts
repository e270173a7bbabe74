import { stringifyExact } from "../../core/json/stringify.ts";
import { ApiError, badRequest, forbidden, notFound } from "../api/errors.ts";
import { parseObject } from "../api/pet-json.ts";
import type { RouteResponse } from "../api/response.ts";
import type { StoreShapes } from "../api/store-shapes.ts";
import { bodyOf, readBody } from "../http/body.ts";
import { type Admitted, type Arrived, carriedOut } from "../http/exchange.ts";
import { isForeignPage, isLocalRequest, isProxied } from "../http/local-request.ts";
import type { Verdict } from "../judge/judge.ts";
import type { Storage } from "../storage/storage.ts";
import { presentedKey, requireKey } from "./own-key.ts";
import type { Area, Route } from "./router.ts";

/** Returns the area below `/_store`: an operator's key or the page is required, and no limit counts. */
export function storeArea(storage: Pick<Storage, "findKey" | "readKey">): Area {
  return {
    prefix: "/_store",
    admit: async (request, isPage) => {
      checkOwnOrigin(request);
      const admitted = { request, isPage, decision: carriedOut };
      if (isPage) return { ...admitted, body: await readBody(request) };
      const presented = presentedKey(request);
      const { key } = presented;
      const { id: keyId, isOperator } = await requireKey(presented, storage.readKey);
      const message = "this path needs an operator's key, which `pets keys list` marks";
      if (!isOperator) throw new ApiError(403, "unauthorized", message);
      const isStillAllowed = async () => (await storage.readKey(keyId))?.isOperator === true;
      return { ...admitted, key, keyId, body: await readBody(request), isStillAllowed };
    },
  };
}

/** Throws an ApiError for a request from another machine, for another name (DNS rebinding), or from another page. */
export function checkOwnOrigin(request: Arrived): void {
  if (isProxied(request)) throw forbidden("requests that came through a proxy may not ask here");
  if (!isLocalRequest(request)) throw notFound("there is nothing at this path");
  if (!isForeignPage(request)) return;
  throw forbidden("other pages and servers may not ask here");
}

/** Returns a response that no cache keeps, of the named shape. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a route must name its shape.
export function jsonResponse<Name extends keyof StoreShapes = never>(
  value: StoreShapes[NoInfer<Name>],
): RouteResponse {
  return jsonText(JSON.stringify(value));
}

/** Returns a response that no cache keeps, of finished JSON text. */
export function jsonText(body: string): RouteResponse {
  return { status: 200, body, headers: { "Cache-Control": "no-store" } };
}

/** Returns the JSON object in the body of a request. Throws an ApiError (400) that shows an `example`. */
export function readObject(admitted: Admitted, example: string): Readonly<Record<string, unknown>> {
  const body = bodyOf(admitted);
  try {
    return parseObject(body);
  } catch {
    throw badRequest(`the body must be a JSON object such as ${example}`);
  }
}

/** Returns the routes of `pets store stop` and `check`: each is undefined unless the store was started for it. */
export function controlRoutes(
  stop: (() => StoreShapes["stop"]) | undefined,
  check: (() => Verdict) | undefined,
): readonly Route[] {
  return [
    {
      path: "/_store/stop",
      POST: () => {
        if (stop === undefined)
          throw forbidden("the store was not started with --detach: stop it where it runs");
        return jsonResponse<"stop">(stop());
      },
    },
    {
      path: "/_store/check",
      GET: ({ isPage }) => {
        // The page asks every store, and a browser reports an error.
        if (check === undefined && isPage) return jsonText("null");
        if (check === undefined) throw forbidden("the store was not started with --check");
        return jsonText(stringifyExact(check() satisfies StoreShapes["check"]));
      },
    },
  ];
}
