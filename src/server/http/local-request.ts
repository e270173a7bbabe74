import { isLoopbackHost } from "../../core/loopback.ts";
import type { Exchange } from "./exchange.ts";

/** What proxies add to a request (RFC 7239, 4; RFC 9110, 7.6.3). */
const proxyHeaders = ["forwarded", "x-forwarded-for", "via"];

/**
 * Returns whether a request comes from this machine, and is for a name of this machine: with DNS rebinding,
 * the page of another site still sends its own name as Host, and a proxy on this machine connects from here.
 */
export function isLocalRequest({ connection, incoming, host = "" }: Exchange): boolean {
  if (proxyHeaders.some((name) => name in incoming.headers)) return false;
  const { remoteAddress } = connection;
  const peer = remoteAddress.includes(":") ? `[${remoteAddress}]` : remoteAddress;
  return isLoopback(peer) && isLoopback(host);
}

function isLoopback(host: string): boolean {
  const url = URL.parse(`http://${host}`);
  return url !== null && isLoopbackHost(url.hostname);
}

/** Returns whether a request came over TLS. */
function isEncrypted({ connection: { socket } }: Pick<Exchange, "connection">): boolean {
  // The property of TLSSocket, without loading node:tls for everyone.
  return "encrypted" in socket && socket.encrypted === true;
}

/** Returns scheme, host and port of the address that a request was sent to. */
export function originOf(exchange: Pick<Exchange, "host" | "connection">): string {
  return `${isEncrypted(exchange) ? "https" : "http"}://${exchange.host}`;
}

/** Returns whether a browser sent a request for the page of another origin. */
export function isForeignPage(exchange: Exchange): boolean {
  const { origin, "sec-fetch-site": site } = exchange.incoming.headers;
  if (origin !== undefined && origin !== originOf(exchange)) return true;
  if (site === undefined || site === "same-origin" || site === "none") return false;
  return !isNavigation(exchange);
}

/** Returns whether someone followed a link to here, which loads the page in its own window. */
function isNavigation({ method, target, incoming: { headers } }: Exchange): boolean {
  const isDocument = headers["sec-fetch-dest"] === "document";
  const isNavigating = headers["sec-fetch-mode"] === "navigate";
  return method === "GET" && target === "/" && isDocument && isNavigating;
}
