import { isLoopbackHost } from "../../core/loopback.ts";
import type { Arrived } from "./exchange.ts";

/** What proxies add to a request (RFC 7239, 4; RFC 9110, 7.6.3). */
const proxyHeader = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/;

/** Returns whether a request came through a proxy: behind one on this machine all requests come from loopback. */
export function isProxied({ incoming }: Pick<Arrived, "incoming">): boolean {
  return Object.keys(incoming.headers).some((name) => proxyHeader.test(name));
}

/** Returns whether a request comes from this machine, by a name of it (DNS rebinding has another), without a proxy. */
export function isLocalRequest({ connection, incoming, host = "" }: Arrived): boolean {
  if (isProxied({ incoming })) return false;
  const { remoteAddress } = connection;
  const peer = remoteAddress.includes(":") ? `[${remoteAddress}]` : remoteAddress;
  return isLoopback(peer) && isLoopback(host);
}

function isLoopback(host: string): boolean {
  const url = URL.parse(`http://${host}`);
  return url !== null && isLoopbackHost(url.hostname);
}

/** Returns scheme, host and port of the address that a request was sent to. */
export function originOf({ host, connection }: Pick<Arrived, "host" | "connection">): string {
  // The property of TLSSocket, without loading node:tls for everyone.
  const isEncrypted = "encrypted" in connection.socket && connection.socket.encrypted === true;
  return `${isEncrypted ? "https" : "http"}://${host}`;
}

/** Returns whether a browser sent a request for the page of another origin, other than by a link to the page here. */
export function isForeignPage(request: Arrived): boolean {
  const { method, target } = request;
  const { headers } = request.incoming;
  const { origin, "sec-fetch-site": site } = headers;
  if (origin !== undefined && origin !== originOf(request)) return true;
  if (site === undefined || site === "same-origin" || site === "none") return false;
  const isDocument = headers["sec-fetch-dest"] === "document";
  const isNavigating = headers["sec-fetch-mode"] === "navigate";
  return !(method === "GET" && target === "/" && isDocument && isNavigating);
}
