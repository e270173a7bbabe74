import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type Connection, type Exchange, openExchange, type ServerClocks } from "./exchange.ts";

/** What the intake of requests needs. */
interface IntakeParts {
  readonly connectionOf: (incoming: IncomingMessage) => Connection;
  readonly clocks: ServerClocks;
  /** Takes each request. */
  readonly take: (exchange: Exchange) => void;
  /** Takes what is no request. */
  readonly refuse: (error: Error, connection: Duplex) => void;
}

/** Opens an exchange for each request that `server` receives. */
export function takeRequests(
  server: Server,
  { connectionOf, clocks, take, refuse }: IntakeParts,
): void {
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const hasValidHost = isHostValid(incoming);
    if (!hasValidHost) {
      delete incoming.headers.host;
      outgoing.shouldKeepAlive = false;
    }
    outgoing.sendDate = false;
    const { method = "", url = "" } = incoming;
    const authority = authorityOf(url);
    // RFC 9112, 3.2.2: the target's own host replaces the header.
    if (authority !== undefined) incoming.headers.host = authority;
    const target = normalizeTarget(url);
    const path = requestPath(target);
    const connection = connectionOf(incoming);
    take(
      openExchange({
        incoming,
        outgoing,
        connection,
        method,
        target,
        path,
        isService: isBelow(path, "/v1"),
        hasValidHost,
        arrivedAt: clocks.elapsed(),
        arrivedAtStore: clocks.now(),
      }),
    );
  };
  server.on("request", onRequest);
  server.on("checkContinue", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // Without a `100 Continue` the client may or may not send the body, so the start of the next
    // request is unknown.
    outgoing.shouldKeepAlive = false;
    onRequest(incoming, outgoing);
  });
  server.on("checkExpectation", onRequest);
  server.on("clientError", refuse);
  server.on("connect", (_request, socket) => refuse(new Error("CONNECT is not served"), socket));
}

const absoluteForm = /^https?:\/\/([^/?#]*)/i;

/** Returns the authority of a target in absolute form: host and port, and what a client may put before them. */
function authorityOf(target: string): string | undefined {
  return target.startsWith("/") ? undefined : absoluteForm.exec(target)?.[1];
}

/**
 * Returns a request target as path and query. The absolute form loses its scheme and authority
 * (RFC 9112, 3.2.2: a server must accept it); any other form becomes a path that does not exist.
 */
export function normalizeTarget(target: string): string {
  if (target.startsWith("/") && !target.includes("\\")) return target;
  const local = target.replace(absoluteForm, "");
  if (!local.startsWith("/")) return local === target ? "/*" : `/${local}`;
  // The URL parser treats a backslash in a path as a slash.
  const [path = "", ...query] = local.split("?");
  return path.includes("\\") ? [path.replaceAll("\\", "%5C"), ...query].join("?") : local;
}

const plainPath = /^\/[\w/]*$/;

/** Returns the path of a request target: without dot segments and query, percent-decoded once. */
export function requestPath(target: string): string {
  const [path = ""] = target.split("?", 1);
  if (plainPath.test(path)) return path;
  const { pathname = path } = URL.parse(`http://localhost${path}`) ?? {};
  try {
    return decodeURI(pathname);
  } catch {
    return pathname;
  }
}

/** Returns whether `path` is `prefix` or a path below it. */
export function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");
}

/** Returns whether there is exactly one valid Host header (RFC 9112, 3.2; HTTP/1.0 may have none). */
function isHostValid(incoming: IncomingMessage): boolean {
  const hosts = countHosts(incoming);
  if (hosts === 0) return incoming.httpVersion === "1.0";
  return hosts === 1 && isHost(incoming.headers.host ?? "");
}

/** Matches nearly all valid Hosts, which saves parsing them. */
const plainHost = /^[a-z0-9._-]*(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;

/** Matches a character that no `uri-host [":" port]` contains (RFC 9110, 7.2). */
const invalidInHost = /[^\w.~:[\]!$&'()*+,;=%-]/;

function isHost(host: string): boolean {
  return plainHost.test(host) || (!invalidInHost.test(host) && URL.canParse(`http://${host}`));
}

/** Returns how many Host headers a request has; `headers` has only the first. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === "host") count += 1;
  return count;
}
