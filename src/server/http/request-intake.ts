import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { badRequest } from "../routes/errors.ts";

/** Gives each request that `server` hears to `take`, and what is none to `refuse`. */
export function onRequests(
  server: Server,
  refuse: (error: Error, connection: Duplex) => void,
  take: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): void {
  const hear = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (!normalizeHost(incoming)) outgoing.shouldKeepAlive = false;
    outgoing.sendDate = false;
    incoming.url = normalizeTarget(incoming.url ?? "");
    take(incoming, outgoing);
  };
  server.on("request", hear);
  server.on("checkContinue", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // Unless the body is asked for, whether it comes is unknown, and so is where the next request begins.
    outgoing.shouldKeepAlive = false;
    hear(incoming, outgoing);
  });
  server.on("checkExpectation", hear);
  server.on("clientError", refuse);
  server.on("connect", (_request, socket) => refuse(new Error("CONNECT is not served"), socket));
}

const absoluteForm = /^https?:\/\/[^/?#]*/i;

/**
 * A request target as path and query. The absolute form loses its scheme and authority (RFC 9112,
 * 3.2.2: a server has to accept it); what is no path at all becomes one that leads nowhere.
 */
export function normalizeTarget(target: string): string {
  if (target.startsWith("/") && !target.includes("\\")) return target;
  const local = target.replace(absoluteForm, "");
  if (!local.startsWith("/")) return local === target ? "/*" : `/${local}`;
  // The URL parser would take a backslash in a path for a slash.
  const [path = "", ...query] = local.split("?");
  return path.includes("\\") ? [path.replaceAll("\\", "%5C"), ...query].join("?") : local;
}

/** Requests whose Host is not what HTTP asks for. */
const wrong = new WeakSet<IncomingMessage>();

/** What no `uri-host [":" port]` has in it (RFC 9110, 7.2). */
const foreign = /[^\w.~:[\]!$&'()*+,;=%-]/;

/** Nearly all Hosts: of these no more need be asked. */
const plain = /^[a-z0-9._-]*(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;

/**
 * Looks at the Host of a request (RFC 9112, 3.2: one, and HTTP/1.0 may have none). Answers whether it
 * is as it has to be. Where it is not, it is taken out of the request, so that routes can be found
 * for it, which then ask `checkHost`: below /v1 the key is looked at first. An odd spelling, as
 * `[::0001]` or an empty port, is put as URLs have it, for Hono knows no other.
 */
function normalizeHost(incoming: IncomingMessage): boolean {
  const { headers, httpVersion } = incoming;
  const hosts = countHosts(incoming);
  const host = hosts === 1 ? normalHost(headers.host ?? "") : undefined;
  if (host !== undefined) headers.host = host;
  if (host !== undefined || (hosts === 0 && httpVersion === "1.0")) return true;
  delete headers.host;
  wrong.add(incoming);
  return false;
}

/** Throws a Problem (400) for a request whose Host was taken out. */
export function checkHost(incoming: IncomingMessage): void {
  if (wrong.has(incoming))
    throw badRequest("there must be one Host header, with a valid host in it");
}

/** `host` in a form that is read alike everywhere, or undefined where it is none. */
function normalHost(host: string): string | undefined {
  if (plain.test(host)) return host;
  const url = foreign.test(host) ? null : URL.parse(`http://${host}`);
  const isUsual = host.replace(/:\d+$/, "").toLowerCase() === url?.hostname;
  return isUsual ? host : url?.host;
}

/** How many Host headers came; node:http shows the first alone. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let place = 0; place < rawHeaders.length; place += 2)
    if (rawHeaders[place]?.length === 4 && rawHeaders[place]?.toLowerCase() === "host") count += 1;
  return count;
}
