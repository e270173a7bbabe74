import type { IncomingMessage } from "node:http";
import { isLoopbackHost } from "../../core/loopback.ts";

/** A Host as a browser sends it, without user info that would hide another name. */
const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Whether a request comes from this machine, and to a name of this machine: a page of another site
 * whose name was made to lead here still sends its own name as Host (store.md, Faults on demand).
 */
export function isLocalRequest({ socket, headers }: IncomingMessage): boolean {
  const address = socket.remoteAddress ?? "";
  const peer = address.includes(":") ? `[${address}]` : address;
  return isLoopback(peer) && isLoopback(headers.host ?? "");
}

function isLoopback(host: string): boolean {
  const url = hostForm.test(host) ? URL.parse(`http://${host}`) : null;
  return url !== null && isLoopbackHost(url.hostname);
}
