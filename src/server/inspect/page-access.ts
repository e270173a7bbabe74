import type { IncomingMessage } from "node:http";
import { isLocalRequest } from "../faults/request.ts";
import { ApiError, notFound } from "../routes/errors.ts";
import { cookieName, type PageSessions, readCookies } from "./sessions.ts";

/** The header of the page's own requests, with the secret that stays with its origin; there is no CORS for it. */
const pageHeader = "x-pets-page";

/** Returns whether a request came over TLS. */
export function isEncrypted({ socket }: IncomingMessage): boolean {
  // The property of TLSSocket, without loading node:tls for everyone.
  return "encrypted" in socket && socket.encrypted === true;
}

/** Returns the name of the page's cookie on the port that a request came to. */
export function pageCookie({ socket }: IncomingMessage): string {
  return cookieName(socket.localPort ?? 0);
}

/** Returns whether the page sent a request, which then needs no key: with a cookie and its secret, from its own origin. */
export function isPageRequest(incoming: IncomingMessage, sessions: PageSessions): boolean {
  const { headers } = incoming;
  const secret = headers[pageHeader];
  if (typeof secret !== "string" || headers.authorization !== undefined) return false;
  if (!isLocalRequest(incoming) || isForeignPage(incoming)) return false;
  const cookies = readCookies(headers.cookie ?? "", pageCookie(incoming));
  return cookies.some((cookie) => sessions.isValid({ cookie, secret }));
}

/**
 * Throws an ApiError for a request from another machine, for another name, or from another page: a name
 * that was made to resolve to here (DNS rebinding) is not a Host of this machine, and browsers send the
 * origin of the requesting page (Fetch standard, 3.2; Fetch Metadata, 2).
 */
export function checkOwnOrigin(incoming: IncomingMessage): void {
  if (!isLocalRequest(incoming)) throw notFound("there is nothing at this path");
  if (!isForeignPage(incoming)) return;
  throw new ApiError(403, "forbidden", "other pages and servers may not ask here");
}

function isForeignPage(incoming: IncomingMessage): boolean {
  const { origin, host, "sec-fetch-site": site } = incoming.headers;
  const own = `${isEncrypted(incoming) ? "https" : "http"}://${host}`;
  if (origin !== undefined && origin !== own) return true;
  if (site === undefined || site === "same-origin" || site === "none") return false;
  return !isNavigation(incoming);
}

/** Returns whether someone followed a link to here, which loads the page in its own window. */
function isNavigation({ method, url, headers }: IncomingMessage): boolean {
  const isDocument = headers["sec-fetch-dest"] === "document";
  return method === "GET" && url === "/" && isDocument && headers["sec-fetch-mode"] === "navigate";
}
