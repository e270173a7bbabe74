import { asPetStatus, type PetStatus } from "../../core/pet-fields.ts";
import { ApiError } from "../api/errors.ts";
import type { RouteResponse } from "../api/response.ts";
import { readBody } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import { originOf } from "../http/local-request.ts";
import type { Area, Route } from "../routes/router.ts";
import { checkOwnOrigin, jsonResponse, jsonText, readObject } from "../routes/store-area.ts";
import { animalCounter, animalsJson, keyLimits, type ShownParts } from "./data-views.ts";
import type { PageSessions } from "./sessions.ts";

/** What the page shows of a store. */
export interface PageParts extends ShownParts {
  /** Undefined if the store was started without one. */
  readonly lab?: unknown;
  /** Returns the name of the profile in which the store is saved, if it is. */
  readonly profile: () => string | undefined;
}

/** The page itself is for this machine; what it shows needs its secret. */
export const pageArea: Area = {
  prefix: "/",
  admit: async (exchange) => {
    checkOwnOrigin(exchange);
    exchange.body = await readBody(exchange);
  },
};

/** Returns the routes of the page: the page, the exchange of a link's token for access, and the start of a visit. */
export function pageRoutes(parts: PageParts, sessions: PageSessions): readonly Route[] {
  return [
    {
      path: "/",
      // Loaded on its first request, so that `pets` starts without it.
      GET: async () => (await import("./html.ts")).builtPage(),
      POST: (exchange) => admitVisitor(exchange, sessions),
    },
    { path: "/_store/session", GET: (exchange) => describeStore(parts, exchange) },
    {
      path: "/_store/page",
      GET: (exchange) => jsonResponse({ url: pageLink(originOf(exchange), sessions) }),
    },
  ];
}

/** Returns the routes of animals and limits as the page shows them. */
export function viewRoutes(parts: ShownParts): readonly Route[] {
  const { storage } = parts;
  const countAnimals = animalCounter(storage);
  return [
    {
      path: "/_store/pets",
      GET: async (exchange) =>
        jsonText(await animalsJson(storage, await countAnimals(), readStatus(exchange))),
    },
    { path: "/_store/limits", GET: async () => jsonResponse(await keyLimits(parts)) },
  ];
}

function readStatus({ query }: Exchange): PetStatus | undefined {
  const text = new URLSearchParams(query).get("status");
  return text === null ? undefined : asPetStatus(text);
}

/** Returns a link to the page at `origin`, for one visit. */
export function pageLink(origin: string, sessions: PageSessions): string {
  return `${origin}/#${sessions.issueToken()}`;
}

function admitVisitor(exchange: Exchange, sessions: PageSessions): RouteResponse {
  const { token } = readObject(exchange, '{"token":"…"}');
  const secret = sessions.redeem(String(token));
  if (secret === undefined)
    throw new ApiError(
      401,
      "unauthorized",
      "the link was used before; `pets store page` prints another",
    );
  return jsonResponse({ secret });
}

function describeStore({ storage, lab, profile }: PageParts, exchange: Exchange): RouteResponse {
  return jsonResponse({
    store: storage.storeId(),
    baseUrl: `${originOf(exchange)}/v1`,
    data: storage.place,
    lab: lab !== undefined,
    profile: profile() ?? null,
  });
}
