import type { IncomingMessage } from "node:http";
import { badRequest } from "./problem.ts";

/** Requests whose Host is not what HTTP asks for. */
const wrong = new WeakSet<IncomingMessage>();

/** What no `uri-host [":" port]` has in it (RFC 9110, 7.2). */
const foreign = /[^\w.~:[\]!$&'()*+,;=%-]/;

/**
 * Looks at the Host of a request (RFC 9112, 3.2: one, and HTTP/1.0 may have none). Answers whether it
 * is as it has to be. Where it is not, it is taken out of the request, so that routes can be found
 * for it, which then ask `checkHost`: below /v1 the key is looked at first.
 */
export function takeHost(incoming: IncomingMessage): boolean {
  const { headers, httpVersion } = incoming;
  const hosts = countHosts(incoming);
  const isNone = hosts === 0 && httpVersion === "1.0";
  if (isNone || (hosts === 1 && !foreign.test(headers.host ?? ""))) return true;
  delete headers.host;
  wrong.add(incoming);
  return false;
}

/** Throws a Problem (400) for a request whose Host was taken out. */
export function checkHost(incoming: IncomingMessage): void {
  if (wrong.has(incoming))
    throw badRequest("there must be one Host header, with a valid host in it");
}

/** How many Host headers came; node:http shows the first alone. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let place = 0; place < rawHeaders.length; place += 2)
    if (rawHeaders[place]?.length === 4 && rawHeaders[place]?.toLowerCase() === "host") count += 1;
  return count;
}
