import type { Exchange } from "../http/exchange.ts";
import { isForeignPage, isLocalRequest } from "../http/local-request.ts";
import { cookieName, type PageSessions, readCookies } from "./sessions.ts";

/** The header of the page's own requests, with the secret that stays with its origin; there is no CORS for it. */
const pageHeader = "x-pets-page";

/** Returns the name of the page's cookie on the port that a request came to. */
export function pageCookie({ connection }: Pick<Exchange, "connection">): string {
  return cookieName(connection.socket.localPort ?? 0);
}

/** Returns the values of the page's cookie that a request has. */
export function pageCookies(exchange: Exchange): readonly string[] {
  return readCookies(exchange.incoming.headers.cookie ?? "", pageCookie(exchange));
}

/** Returns whether the page sent a request, which then needs no key: with a cookie and its secret, from its own origin. */
export function isPageRequest(exchange: Exchange, sessions: PageSessions): boolean {
  const { headers } = exchange.incoming;
  const secret = headers[pageHeader];
  if (typeof secret !== "string" || headers.authorization !== undefined) return false;
  if (!isLocalRequest(exchange) || isForeignPage(exchange)) return false;
  return pageCookies(exchange).some((cookie) => sessions.isValid({ cookie, secret }));
}
