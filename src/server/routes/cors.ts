import type { ApiResponse } from "../api/response.ts";
import type { Exchange } from "../http/exchange.ts";

type Respond = (exchange: Exchange) => Promise<ApiResponse>;

/** What a page of an allowed origin may read of a response, beside what every page may (Fetch standard, 3.3.2). */
const exposed =
  "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Pets-Store, " +
  "Sunset, Deprecation, Link, WWW-Authenticate";

const preflightHeaders = {
  "Access-Control-Allow-Methods": "GET, HEAD, POST",
  "Access-Control-Allow-Headers": "Authorization, Content-Type, X-Pets-Fault",
  "Access-Control-Max-Age": "600",
};

/** Lets pages of `origins` call the service, and nothing else; answers preflights, which carry no key. */
export function withCors(origins: readonly string[], respond: Respond): Respond {
  if (origins.length === 0) return respond;
  const allowed = new Set(origins);
  return async (exchange) => {
    if (!exchange.isService) return respond(exchange);
    const { origin, "access-control-request-method": asked } = exchange.incoming.headers;
    const isAllowed = origin !== undefined && allowed.has(origin);
    const own = { Vary: "Origin", ...(isAllowed && { "Access-Control-Allow-Origin": origin }) };
    if (isAllowed && exchange.method === "OPTIONS" && asked !== undefined)
      return { status: 204, body: "", headers: { ...own, ...preflightHeaders } };
    const { headers, ...response } = await respond(exchange);
    const more = isAllowed ? { "Access-Control-Expose-Headers": exposed } : {};
    return { ...response, headers: { ...headers, ...own, ...more } };
  };
}
