import type { ApiResponse, RouteResponse } from "../api/response.ts";
import { type Arrived, carriedOut } from "../http/exchange.ts";
import type { Answered } from "../http/server.ts";

type Respond = (request: Arrived) => Promise<Answered>;

/** What a page of an allowed origin may read of a response, beside what every page may (Fetch standard, 3.3.2). */
const exposed =
  "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Date, X-Pets-Store, " +
  "Sunset, Deprecation, Link, WWW-Authenticate, Allow";

/** Paths outside `/v1` that need no key. */
const openPaths: ReadonlySet<string> = new Set(["/openapi.json", "/healthz"]);

const preflightHeaders = {
  "Access-Control-Allow-Methods": "GET, HEAD, POST",
  "Access-Control-Max-Age": "600",
};

/** Lets pages of `origins` call the service and read `openPaths`; responds to preflights, which carry no key, by `complete`. */
export function withCors(
  origins: readonly string[],
  respond: Respond,
  complete: (response: RouteResponse, remoteAddress: string) => ApiResponse,
): Respond {
  if (origins.length === 0) return respond;
  const allowed = new Set(origins);
  return async (request) => {
    if (!request.isService && !openPaths.has(request.path)) return respond(request);
    const {
      origin,
      "access-control-request-method": asked,
      "access-control-request-headers": headersAsked,
    } = request.incoming.headers;
    const isAllowed = origin !== undefined && allowed.has(origin);
    const own = { Vary: "Origin", ...(isAllowed && { "Access-Control-Allow-Origin": origin }) };
    if (isAllowed && request.method === "OPTIONS" && asked !== undefined) {
      // Tracing and error reporters add headers of their own.
      const allowedHeaders = headersAsked && { "Access-Control-Allow-Headers": headersAsked };
      const preflight = { ...own, ...allowedHeaders, ...preflightHeaders };
      const reply = { status: 204, body: "", headers: preflight };
      const response = complete(reply, request.connection.remoteAddress);
      const admitted = { request, isPage: false, decision: carriedOut };
      return { admitted, response, added: undefined };
    }
    const answered = await respond(request);
    const more = isAllowed ? { "Access-Control-Expose-Headers": exposed } : {};
    const headers = { ...answered.response.headers, ...own, ...more };
    return { ...answered, response: { ...answered.response, headers } };
  };
}
