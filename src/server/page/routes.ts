import { parseExact } from "../../core/json/parse.ts";
import { readRequestBody } from "../http/body.ts";
import type { InspectedParts } from "../inspect/inspector.ts";
import { checkOwnOrigin, isEncrypted, pageCookie } from "../inspect/page-access.ts";
import { type PageSessions, setCookie } from "../inspect/sessions.ts";
import { ApiError } from "../routes/errors.ts";
import type { RouteReply } from "../routes/responses.ts";
import type { Area, Route, RoutedRequest } from "../routes/router.ts";
import type { Page } from "./html.ts";

/** The page itself is for this machine; what it shows needs a cookie. */
export const pageArea: Area = {
  prefix: "/",
  admit: async (incoming) => {
    checkOwnOrigin(incoming);
    return {};
  },
};

/** Returns the routes of the page: the page, the exchange of a link's token for access, and the start of a visit. */
export function pageRoutes(parts: InspectedParts, sessions: PageSessions): readonly Route[] {
  return [
    { path: "/", GET: async () => pageReply(await loadPage()), POST: exchange(sessions) },
    { path: "/_store/session", GET: (request) => describeStore(parts, request) },
    {
      path: "/_store/page",
      GET: ({ incoming }) => {
        const origin = originOf(incoming);
        return json({ url: pageLink(origin, sessions) });
      },
    },
  ];
}

/** Returns a link to the page at `origin`, for one visit. */
export function pageLink(origin: string, sessions: PageSessions): string {
  return `${origin}/#${sessions.issueToken()}`;
}

/** Loads the page on its first request, so that `pets` starts without it. */
async function loadPage(): Promise<Page> {
  const { builtPage } = await import("./html.ts");
  return builtPage();
}

function pageReply({ html, headers }: Page): RouteReply {
  return { status: 200, body: html, headers };
}

function exchange(sessions: PageSessions) {
  return async ({ incoming, outgoing }: RoutedRequest): Promise<RouteReply> => {
    const token = readToken(await readRequestBody(incoming, outgoing));
    const access = sessions.redeem(token);
    if (access === undefined)
      throw new ApiError(
        401,
        "unauthorized",
        "the link was used before; `pets store page` prints another",
      );
    const value = setCookie(pageCookie(incoming), access.cookie, isEncrypted(incoming));
    return {
      ...json({ secret: access.secret }),
      headers: { "Set-Cookie": value, "Cache-Control": "no-store" },
    };
  };
}

function describeStore(
  { storage, faults, profile }: InspectedParts,
  { incoming }: RoutedRequest,
): RouteReply {
  return json({
    store: storage.storeId(),
    baseUrl: `${originOf(incoming)}/v1`,
    data: storage.place,
    lab: faults !== undefined,
    profile: profile?.() ?? null,
  });
}

function originOf(incoming: RoutedRequest["incoming"]): string {
  return `${isEncrypted(incoming) ? "https" : "http"}://${incoming.headers.host}`;
}

function json(value: unknown): RouteReply {
  return { status: 200, body: JSON.stringify(value), headers: { "Cache-Control": "no-store" } };
}

function readToken(body: Uint8Array): string {
  try {
    return String(Object(parseExact(Buffer.from(body).toString())).token);
  } catch {
    return "";
  }
}
