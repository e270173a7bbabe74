import { petStatuses } from "../../core/enums.ts";
import { int64Max, int64Min } from "../../core/int64.ts";
import { type NewPetField, requiredPetFields } from "../../core/pet-fields.ts";
import { type ErrorCode, errorCodes } from "../api/errors.ts";
import { deprecationHeaders } from "../api/response.ts";

/** The schema of an id. */
export const int64Schema = { type: "integer", format: "int64" };

const petProperties = {
  name: {
    type: "string",
    minLength: 1,
    pattern: String.raw`\S`,
    description: "Something other than spaces; without NUL, and valid Unicode.",
  },
  categoryId: { ...int64Schema, description: `From ${int64Min} to ${int64Max}, in digits.` },
  status: { $ref: "#/components/schemas/PetStatus" },
} satisfies Readonly<Record<NewPetField, object>>;

const schemas = {
  PetStatus: { type: "string", enum: petStatuses },
  NewPet: { type: "object", required: requiredPetFields, properties: petProperties },
  Pet: {
    type: "object",
    required: ["id", ...requiredPetFields],
    properties: {
      id: { ...int64Schema, minimum: 1, description: "Assigned by the service on creation." },
      ...petProperties,
    },
  },
  Error: {
    type: "object",
    required: ["code", "message", "status"],
    properties: {
      code: { type: "string", enum: errorCodes, description: "For programs." },
      message: { type: "string", description: "For people." },
      status: { type: "integer", description: "The HTTP status code." },
    },
  },
  Health: {
    type: "object",
    required: ["status"],
    properties: { status: { type: "string", const: "ok" } },
  },
};

const header = (description: string, schema: object, required = true) => ({
  description,
  required,
  schema,
});
const constant = (description: string, value: string) =>
  header(description, { type: "string", const: value });
const count = { type: "integer", minimum: 0 };
const { Sunset, Deprecation, Link } = deprecationHeaders;

const headers = {
  "X-RateLimit-Limit": header("The limit that applies to the caller.", count),
  "X-RateLimit-Remaining": header("Requests remaining.", count),
  "X-RateLimit-Reset": header("Unix timestamp at which the limit resets.", count),
  "X-Pets-Store": header("Which store this is; another one has another id.", { type: "string" }),
  "Retry-After": header("Whole seconds to wait.", { type: "integer", minimum: 1 }),
  "WWW-Authenticate": constant("The scheme to use.", "Bearer"),
  Sunset: constant("When the operation is removed (RFC 8594).", Sunset),
  Deprecation: constant("Since when it is deprecated (RFC 9745).", Deprecation),
  Link: constant("The operation that replaces it (RFC 5829).", Link),
};

const refs = (...names: (keyof typeof headers)[]): object =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The rate headers, which every response below /v1 has. */
export const rated = refs("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset");
/** The headers that announce the removal of an operation. */
export const deprecated = refs("Sunset", "Deprecation", "Link");
/** The path of a request that node:http can't parse is unknown, so these may be missing. */
const maybeRated = Object.fromEntries(
  Object.keys(rated).map((name) => [name, header("As below /v1.", count, false)]),
);

/** Returns a response with a JSON body of this schema, and the header that every response has. */
export function response(description: string, schema: object, extra: object = {}) {
  const content = { "application/json": { schema } };
  return { description, headers: { ...refs("X-Pets-Store"), ...extra }, content };
}

/** Returns a reference to a schema. */
export function schemaRef(name: keyof typeof schemas): object {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns a response with an Error body that has one of `codes`. */
function error(description: string, codes: readonly ErrorCode[], extra?: object) {
  const facts = { properties: { code: { enum: codes } } };
  return response(description, { allOf: [schemaRef("Error"), facts] }, extra);
}

const retry = { ...rated, ...refs("Retry-After") };
const down = "The data cannot be used at the moment.";
const failed = "The store failed; the request may have been carried out.";

/** The responses with an Error body: their status, and what they are. */
const failures = {
  BadRequest: [400, error("The request is not valid.", ["bad_request"], rated)],
  Unreadable: [400, error("The request cannot be read.", ["bad_request"], maybeRated)],
  Unauthorized: [
    401,
    error("The API key is missing or invalid.", ["unauthorized"], {
      ...rated,
      ...refs("WWW-Authenticate"),
    }),
  ],
  NotFound: [404, error("There is no such animal.", ["not_found"], { ...rated, ...deprecated })],
  TooSlow: [408, error("It took too long to arrive.", ["bad_request"], rated)],
  Gone: [410, error("The operation was removed.", ["gone"], { ...rated, ...deprecated })],
  TooLarge: [413, error("The body is longer than 64 KiB.", ["payload_too_large"], rated)],
  RateLimited: [
    429,
    error("The limit is reached, or the key banned.", ["rate_limited", "key_banned"], retry),
  ],
  HeadersTooLong: [431, error("The headers are too long.", ["bad_request"], rated)],
  Failed: [500, error(failed, ["internal"], rated)],
  Unavailable: [503, error(down, ["unavailable"], retry)],
  Unhealthy: [503, error(down, ["unavailable"], refs("Retry-After"))],
  HealthFailed: [500, error("The store failed.", ["internal"])],
} as const;

/** Returns references to responses with an Error body, by their status. */
export function failing(...names: (keyof typeof failures)[]) {
  return Object.fromEntries(
    names.map((name) => [failures[name][0], { $ref: `#/components/responses/${name}` }]),
  );
}

/** What the operations of the document refer to. */
export const components = {
  securitySchemes: { apiKey: { type: "http", scheme: "bearer" } },
  schemas,
  headers,
  responses: Object.fromEntries(
    Object.entries(failures).map(([name, [, described]]) => [name, described]),
  ),
};
