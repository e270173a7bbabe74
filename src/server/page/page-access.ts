import type { Exchange } from "../http/exchange.ts";
import { isEncrypted, isForeignPage, isLocalRequest } from "../http/local-request.ts";
import type { PageSessions } from "./sessions.ts";

/** The header of the page's own requests, with the secret that stays with its origin; there is no CORS for it. */
const pageHeader = "x-pets-page";
/** How long a browser keeps the cookie, in seconds. */
const maxAgeSeconds = 30 * 24 * 60 * 60;

/** Returns how the page's cookie begins: with the port, as browsers send a cookie to every port of a host. */
function cookieStart({ connection }: Exchange): string {
  return `pets_page_${connection.socket.localPort ?? 0}=`;
}

/** Returns the value of `Set-Cookie` (RFC 6265, 4.1) in the response to `exchange`. */
export function setPageCookie(exchange: Exchange, value: string): string {
  const secure = isEncrypted(exchange) ? "; Secure" : "";
  return `${cookieStart(exchange)}${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** Returns the values of the page's cookie that a request has, which may be several. */
export function pageCookies(exchange: Exchange): readonly string[] {
  const start = cookieStart(exchange);
  const cookies = (exchange.incoming.headers.cookie ?? "").split(";").map((each) => each.trim());
  return cookies.filter((each) => each.startsWith(start)).map((each) => each.slice(start.length));
}

/** Returns whether the page sent a request, which then needs no key: with a cookie and its secret, from its own origin. */
export function isPageRequest(exchange: Exchange, sessions: PageSessions): boolean {
  const { headers } = exchange.incoming;
  const secret = headers[pageHeader];
  if (typeof secret !== "string" || headers.authorization !== undefined) return false;
  if (!isLocalRequest(exchange) || isForeignPage(exchange)) return false;
  return pageCookies(exchange).some((cookie) => sessions.isValid({ cookie, secret }));
}
