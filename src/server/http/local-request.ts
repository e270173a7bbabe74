import { isLoopbackHost } from "../../core/loopback.ts";
import type { Exchange } from "./exchange.ts";

/** What proxies add to a request (RFC 7239, 4; RFC 9110, 7.6.3). */
const proxyHeaders = ["forwarded", "x-forwarded-for", "via"];

/** Returns whether a request comes from this machine, by a name of it (DNS rebinding has another), without a proxy. */
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

/** Returns scheme, host and port of the address that a request was sent to. */
export function originOf({ host, connection }: Pick<Exchange, "host" | "connection">): string {
  // The property of TLSSocket, without loading node:tls for everyone.
  const isEncrypted = "encrypted" in connection.socket && connection.socket.encrypted === true;
  return `${isEncrypted ? "https" : "http"}://${host}`;
}

/** Returns whether a browser sent a request for the page of another origin, other than by a link to the page here. */
export function isForeignPage(exchange: Exchange): boolean {
  const { method, target } = exchange;
  const { headers } = exchange.incoming;
  const { origin, "sec-fetch-site": site } = headers;
  if (origin !== undefined && origin !== originOf(exchange)) return true;
  if (site === undefined || site === "same-origin" || site === "none") return false;
  const isDocument = headers["sec-fetch-dest"] === "document";
  const isNavigating = headers["sec-fetch-mode"] === "navigate";
  return !(method === "GET" && target === "/" && isDocument && isNavigating);
}
