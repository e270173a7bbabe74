import type { ErrorCode } from "../api/errors.ts";

/** A Response Object of OpenAPI. */
export interface OpenApiReply {
  readonly description: string;
  readonly headers?: object;
  readonly content?: object;
}

/** Response Objects by their status. */
export type OpenApiReplies = Readonly<Record<number, OpenApiReply>>;

const header = (description: string, schema: object) => ({ description, required: true, schema });

/** Returns a Header Object whose value is always the same. */
export function constantHeader(description: string, value: string): object {
  return header(description, { type: "string", const: value });
}

const countSchema = { type: "integer", minimum: 0 };

const rateHeaders = {
  "X-RateLimit-Limit": header("The limit that applies to the caller.", countSchema),
  "X-RateLimit-Remaining": header("Requests remaining.", countSchema),
  "X-RateLimit-Reset": header("Unix timestamp at which the limit resets.", countSchema),
};
const storeHeader = {
  "X-Pets-Store": header("Which store this is; another one has another id.", { type: "string" }),
};
const retryAfter = {
  "Retry-After": header("Whole seconds to wait.", { type: "integer", minimum: 1 }),
};
const authenticate = { "WWW-Authenticate": constantHeader("The scheme to use.", "Bearer") };

/** The headers that replies share, by name. */
export const sharedHeaders: object = { ...rateHeaders, ...storeHeader };

const refs = (headers: object): object =>
  Object.fromEntries(
    Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

/** The rate headers, which every reply below /v1 has. */
export const rated: object = refs(rateHeaders);

/** The path of a request that node:http can't parse is unknown, so the headers may be missing. */
const maybeRated = Object.fromEntries(
  Object.entries(rateHeaders).map(([name, rate]) => [name, { ...rate, required: false }]),
);

/** Returns a reply with a JSON body of this schema, and the header that every reply has. */
export function reply(description: string, schema: object, headers?: object): OpenApiReply {
  return {
    description,
    headers: { ...refs(storeHeader), ...headers },
    content: { "application/json": { schema } },
  };
}

/** Why a request fails: the status, the codes of its Error body, a description, and headers. */
type Failing = readonly [number, readonly ErrorCode[], string, object?];

function errorReplies(rows: readonly Failing[]): OpenApiReplies {
  const replies = rows.map(([status, codes, description, headers]) => {
    const facts = { properties: { status: { const: status }, code: { enum: codes } } };
    const schema = { allOf: [{ $ref: "#/components/schemas/Error" }, facts] };
    return [status, reply(description, schema, headers)] as const;
  });
  return Object.fromEntries(replies);
}

const retry = { ...rated, ...retryAfter };
const tooSlow: Failing = [408, ["bad_request"], "It took too long to arrive.", rated];
const tooLong: Failing = [431, ["bad_request"], "The headers are too long.", rated];
const unavailable = "The data cannot be used at the moment.";

/** The replies with an Error body that all operations below /v1 share. */
export const ratedFailures = errorReplies([
  [400, ["bad_request"], "The request is not valid.", rated],
  [401, ["unauthorized"], "The API key is missing or invalid.", { ...rated, ...authenticate }],
  tooSlow,
  [429, ["rate_limited", "key_banned"], "The limit is reached, or the key banned.", retry],
  tooLong,
  [500, ["internal"], "The store failed; the request may have been carried out.", rated],
  [503, ["unavailable"], unavailable, retry],
]);

/** The reply to a body that is too long. */
export const tooLarge = errorReplies([
  [413, ["payload_too_large"], "The body is longer than 64 KiB.", rated],
]);

/** The replies without an animal. */
export const missing = errorReplies([
  [404, ["not_found"], "There is no such animal.", rated],
  [410, ["gone"], "The operation was removed.", rated],
]);

/** The replies with an Error body that operations at the root share. */
export const rootFailures = errorReplies([
  [400, ["bad_request"], "The request cannot be read.", maybeRated],
  tooSlow,
  tooLong,
]);

/** The replies of `GET /healthz` while the data can't be used. */
export const unhealthy = errorReplies([
  [500, ["internal"], "The store failed."],
  [503, ["unavailable"], unavailable, retryAfter],
]);
