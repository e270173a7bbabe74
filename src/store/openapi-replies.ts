const integer = { type: "integer" };

const header = (description: string, schema: object = integer) => ({ description, schema });

const headers = {
  "X-RateLimit-Limit": header("The limit that applies to the caller."),
  "X-RateLimit-Remaining": header("Requests remaining."),
  "X-RateLimit-Reset": header("Unix timestamp at which the limit resets."),
};

const rateHeaders = Object.fromEntries(
  Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

const retryAfter = { "Retry-After": header("Whole seconds to wait before the next request.") };

/** A reply below /v1 with a JSON body of this schema, as OpenAPI tells of it. */
export function reply(description: string, schema: object, more: object = {}) {
  return {
    description,
    headers: { ...rateHeaders, ...more },
    content: { "application/json": { schema } },
  };
}

const failure = (description: string, more: object = {}) =>
  reply(description, { $ref: "#/components/schemas/Error" }, more);

const text = { type: "string" };
const deprecationHeaders = {
  ...rateHeaders,
  Sunset: header("When the operation is removed (RFC 8594).", text),
  Deprecation: header("Since when it is deprecated (RFC 9745).", text),
  Link: header("The operation that replaces it.", text),
};

/** The parts of the OpenAPI document that its operations share. */
export const openApiReplies = {
  headers,
  deprecationHeaders,
  errorSchema: {
    type: "object",
    required: ["code", "message", "status"],
    properties: {
      code: {
        type: "string",
        enum: [
          "bad_request",
          "unauthorized",
          "not_found",
          "method_not_allowed",
          "payload_too_large",
          "gone",
          "rate_limited",
          "key_banned",
          "unavailable",
          "internal",
        ],
      },
      message: text,
      status: integer,
    },
  },
  healthSchema: {
    type: "object",
    required: ["status"],
    properties: { status: { const: "ok" } },
  },
  responses: {
    BadRequest: failure("The body or the query is missing something, or holds invalid values."),
    Unauthorized: failure("The API key is missing or invalid.", {
      "WWW-Authenticate": header("The scheme to use: Bearer.", text),
    }),
    NotFound: failure("There is no such animal."),
    Gone: failure("The operation was removed."),
    PayloadTooLarge: failure("The body is longer than 64 KiB."),
    TooManyRequests: failure("The limit is reached, or the key is banned for a while.", retryAfter),
    Failed: failure("The store failed."),
    Unavailable: failure("The data can't be used at the moment.", retryAfter),
  },
};
