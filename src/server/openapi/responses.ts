import type { ErrorCode } from "../api/errors.ts";

/** A Response Object of OpenAPI. */
export interface OpenApiReply {
  readonly description: string;
  readonly headers?: object;
  readonly content?: object;
}

const header = (description: string, schema: object) => ({ description, required: true, schema });
const countSchema = { type: "integer", minimum: 0 };

const rateHeaders = {
  "X-RateLimit-Limit": header("The limit that applies to the caller.", countSchema),
  "X-RateLimit-Remaining": header("Requests remaining.", countSchema),
  "X-RateLimit-Reset": header("Unix timestamp at which the limit resets.", countSchema),
};

const retryAfter = {
  "Retry-After": header("Whole seconds to wait.", { type: "integer", minimum: 1 }),
};

const authenticate = {
  "WWW-Authenticate": header("The scheme to use.", { type: "string", const: "Bearer" }),
};

const refs = (section: string, parts: object): object =>
  Object.fromEntries(
    Object.keys(parts).map((name) => [name, { $ref: `#/components/${section}/${name}` }]),
  );

const storeHeader = {
  "X-Pets-Store": header("Which store this is; another one has another id.", { type: "string" }),
};

/** Returns a reply with a JSON body of this schema, and the header that every reply has. */
export function reply(description: string, schema: object, headers?: object): OpenApiReply {
  return {
    description,
    headers: { ...refs("headers", storeHeader), ...headers },
    content: { "application/json": { schema } },
  };
}

/** The rate headers, which every reply below /v1 has. */
export const rated: object = refs("headers", rateHeaders);

/** Returns a reply with an Error body of this status and code. */
function errorReply(
  status: number,
  codes: readonly ErrorCode[],
  description: string,
  headers?: object,
): OpenApiReply {
  const facts = { properties: { status: { const: status }, code: { enum: codes } } };
  const schema = { allOf: [{ $ref: "#/components/schemas/Error" }, facts] };
  return reply(description, schema, headers);
}

/** The replies with an Error body that operations below /v1 share, by status. */
export const ratedFailures = {
  400: errorReply(400, ["bad_request"], "The request is not valid.", rated),
  401: errorReply(401, ["unauthorized"], "The API key is missing or invalid.", {
    ...rated,
    ...authenticate,
  }),
  404: errorReply(404, ["not_found"], "There is no such animal.", rated),
  408: errorReply(408, ["bad_request"], "It took too long to arrive.", rated),
  410: errorReply(410, ["gone"], "The operation was removed.", rated),
  413: errorReply(413, ["payload_too_large"], "The body is longer than 64 KiB.", rated),
  429: errorReply(429, ["rate_limited", "key_banned"], "The limit is reached, or the key banned.", {
    ...rated,
    ...retryAfter,
  }),
  431: errorReply(431, ["bad_request"], "The headers are too long.", rated),
  500: errorReply(
    500,
    ["internal"],
    "The store failed; the request may have been carried out.",
    rated,
  ),
  503: errorReply(503, ["unavailable"], "The data cannot be used at the moment.", {
    ...rated,
    ...retryAfter,
  }),
};

/** The path of a request that node:http can't parse is unknown, so the headers may be missing. */
const maybeRated = Object.fromEntries(
  Object.entries(rateHeaders).map(([name, rate]) => [name, { ...rate, required: false }]),
);

/** The replies with an Error body that operations at the root share, by status. */
export const rootFailures = {
  400: errorReply(400, ["bad_request"], "The request cannot be read.", maybeRated),
  408: ratedFailures[408],
  431: ratedFailures[431],
  500: errorReply(500, ["internal"], "The store failed."),
};

/** The reply of `GET /healthz` while the data can't be used. */
export const unavailable = errorReply(
  503,
  ["unavailable"],
  "The data cannot be used at the moment.",
  retryAfter,
);

/** The headers that replies share, by name. */
export const sharedHeaders: object = { ...rateHeaders, ...storeHeader };
