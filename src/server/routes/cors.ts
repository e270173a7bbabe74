import type { ApiResponse, RouteResponse } from "../api/response.ts";
import type { Exchange } from "../http/exchange.ts";

type Respond = (exchange: Exchange) => Promise<ApiResponse>;

/** What a page of an allowed origin may read of a response, beside what every page may (Fetch standard, 3.3.2). */
const exposed =
  "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Date, X-Pets-Store, " +
  "Sunset, Deprecation, Link, WWW-Authenticate, Allow";

const preflightHeaders = {
  "Access-Control-Allow-Methods": "GET, HEAD, POST",
  "Access-Control-Max-Age": "600",
};

/** Lets pages of `origins` call the service, and nothing else; responds to preflights, which carry no key, by `complete`. */
export function withCors(
  origins: readonly string[],
  respond: Respond,
  complete: (response: RouteResponse, remoteAddress: string) => ApiResponse,
): Respond {
  if (origins.length === 0) return respond;
  const allowed = new Set(origins);
  return async (exchange) => {
    if (!exchange.isService) return respond(exchange);
    const {
      origin,
      "access-control-request-method": asked,
      "access-control-request-headers": headersAsked,
    } = exchange.incoming.headers;
    const isAllowed = origin !== undefined && allowed.has(origin);
    const own = { Vary: "Origin", ...(isAllowed && { "Access-Control-Allow-Origin": origin }) };
    if (isAllowed && exchange.method === "OPTIONS" && asked !== undefined) {
      // Tracing and error reporters add headers of their own.
      const allowedHeaders = headersAsked && { "Access-Control-Allow-Headers": headersAsked };
      const preflight = { ...own, ...allowedHeaders, ...preflightHeaders };
      const response = { status: 204, body: "", headers: preflight };
      return complete(response, exchange.connection.remoteAddress);
    }
    const { headers, ...response } = await respond(exchange);
    const more = isAllowed ? { "Access-Control-Expose-Headers": exposed } : {};
    return { ...response, headers: { ...headers, ...own, ...more } };
  };
}
