import type { IncomingMessage } from "node:http";
import { memoize } from "../memoize.ts";

/** What a request target says: most clients repeat theirs. */
export const parseTarget = memoize((text) => {
  const target = normalizeTarget(text);
  const path = requestPath(target);
  return { target, path, isService: isBelow(path, "/v1"), authority: authorityOf(text) };
});

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

/** Matches a character that no `uri-host [":" port]` contains (RFC 9110, 7.2). */
const invalidInHost = /[^\w.~:[\]!$&'()*+,;=%-]/;

/** Returns whether there is exactly one valid Host header (RFC 9112, 3.2; HTTP/1.0 may have none). */
export function isHostValid(incoming: IncomingMessage): boolean {
  const { 0: host, length } = headerValues(incoming, "host");
  if (host === undefined) return incoming.httpVersion === "1.0";
  return length === 1 && isValidHost(host);
}

const isValidHost = memoize(
  (host) => host === "" || (!invalidInHost.test(host) && URL.canParse(`http://${host}`)),
);

/** Returns the values of all headers with a name in small letters; node:http keeps only the first of some. */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const { [index]: other = "", [index + 1]: value = "" } = rawHeaders;
    if (other.length === name.length && other.toLowerCase() === name) values.push(value);
  }
  return values;
}
