import type { IncomingMessage } from "node:http";
import { badRequest } from "../routes/errors.ts";

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
export function normalizeHost(incoming: IncomingMessage): boolean {
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
