import { pageSize } from "../../core/api.ts";
import { petStatuses } from "../../core/enums.ts";
import { int64Max, int64Min } from "../../core/int64.ts";
import { type NewPetField, requiredPetFields } from "../../core/pet-fields.ts";
import { type ErrorCode, errorCodes } from "../api/errors.ts";
import { deprecationHeaders } from "../api/response.ts";

const int64 = { type: "integer", format: "int64" };

const petProperties = {
  name: {
    type: "string",
    minLength: 1,
    pattern: String.raw`\S`,
    description: "Something other than spaces; without NUL, and valid Unicode.",
  },
  categoryId: { ...int64, description: `From ${int64Min} to ${int64Max}, in digits.` },
  status: { $ref: "#/components/schemas/PetStatus" },
} satisfies Readonly<Record<NewPetField, object>>;

const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: "object",
  required,
  properties,
});
const id = { ...int64, minimum: 1, description: "Assigned by the service on creation." };

const schemas = {
  PetStatus: { type: "string", enum: petStatuses },
  NewPet: object(petProperties, requiredPetFields),
  Pet: object({ id, ...petProperties }, ["id", ...requiredPetFields]),
  Error: object({
    code: { type: "string", enum: errorCodes, description: "For programs." },
    message: { type: "string", description: "For people." },
    status: { type: "integer", description: "The HTTP status code." },
  }),
};

const schema = (name: keyof typeof schemas) => ({ $ref: `#/components/schemas/${name}` });

const header = (description: string, its: object) => ({ description, required: true, schema: its });
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

/** What every response below /v1 has. */
const rated = refs("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset");
const deprecated = { ...rated, ...refs("Sunset", "Deprecation", "Link") };
const retry = { ...rated, ...refs("Retry-After") };
const challenge = { ...rated, ...refs("WWW-Authenticate") };

/** Returns a response with a JSON body of this schema, and the header that every response has. */
function response(description: string, its: object, extra: object, example?: unknown) {
  const content = { "application/json": { schema: its, ...(example ? { example } : {}) } };
  return { description, headers: { ...refs("X-Pets-Store"), ...extra }, content };
}

/** Returns a response with an Error body that has one of these codes. */
function failure(status: number, description: string, codes: readonly ErrorCode[], extra: object) {
  const its = { allOf: [schema("Error"), { properties: { code: { enum: codes } } }] };
  return { status, response: response(description, its, extra) };
}

const notJson = "The body is not JSON by its headers.";
const down = "The data cannot be used at the moment.";
const maybeDone = "The store failed; the request may have been carried out.";
const limited = "The limit is reached, or the key banned.";

const failures = {
  BadRequest: failure(400, "The request is not valid.", ["bad_request"], rated),
  Unauthorized: failure(401, "The API key is missing or invalid.", ["unauthorized"], challenge),
  NotFound: failure(404, "There is no such animal.", ["not_found"], deprecated),
  TooSlow: failure(408, "It took too long to arrive.", ["bad_request"], rated),
  Gone: failure(410, "The operation was removed.", ["gone"], deprecated),
  TooLarge: failure(413, "The body is longer than 64 KiB.", ["payload_too_large"], rated),
  WrongType: failure(415, notJson, ["unsupported_media_type"], rated),
  RateLimited: failure(429, limited, ["rate_limited", "key_banned"], retry),
  HeadersTooLong: failure(431, "The headers are too long.", ["bad_request"], rated),
  Failed: failure(500, maybeDone, ["internal"], rated),
  Unavailable: failure(503, down, ["unavailable"], retry),
};

const { NotFound, Gone, TooLarge, WrongType, ...common } = failures;

/** Returns references to failures that every operation has, and to `own` ones, by their status. */
const failing = (own: Partial<typeof failures>) =>
  Object.fromEntries(
    Object.entries({ ...common, ...own }).map(([name, { status }]) => [
      status,
      { $ref: `#/components/responses/${name}` },
    ]),
  );

const newPet = { name: "Rex", categoryId: 1, status: "available" };
const pet = { id: 1, ...newPet };

const query = (name: string, what: string, its: object, example: unknown) => {
  const description = `${what} Given at most once.`;
  return { name, in: "query", description, schema: its, example };
};
const { min: minimum, max: maximum, default: usual } = pageSize;
const aLimit = { type: "integer", minimum, maximum, default: usual };

/** The query parameters of `GET /pets`; no other operation has any. */
export const listParameters = [
  query("limit", "Maximum number of animals to return, in digits alone.", aLimit, 3),
  query("status", "Only animals with this status.", schema("PetStatus"), newPet.status),
];

const listPets = {
  operationId: "listPets",
  tags: ["pets"],
  summary: "List animals, newest first",
  description:
    "There is no next page: at most the newest 100 animals, or the newest 100 of a status.",
  parameters: listParameters,
  responses: {
    200: response(
      "The newest animals.",
      { type: "array", maxItems: maximum, items: schema("Pet") },
      rated,
      [pet],
    ),
    ...failing({}),
  },
};

const createPet = {
  operationId: "createPet",
  tags: ["pets"],
  summary: "Add an animal",
  description: "Not idempotent: the same request sent twice adds two animals.",
  requestBody: {
    required: true,
    description: "At most 64 KiB. Fields that are not in NewPet are ignored.",
    content: { "application/json": { schema: schema("NewPet"), example: newPet } },
  },
  responses: {
    201: response("The animal that was added.", schema("Pet"), rated, pet),
    ...failing({ TooLarge, WrongType }),
  },
};

const getPet = {
  operationId: "getPet",
  tags: ["pets"],
  summary: "Get an animal",
  description:
    "Deprecated, and removed on 5 December 2030. Use `GET /pets` with `status` in its place.",
  deprecated: true,
  parameters: [{ name: "petId", in: "path", required: true, schema: int64, example: pet.id }],
  responses: {
    200: response("The animal.", schema("Pet"), deprecated, pet),
    ...failing({ NotFound, Gone }),
  },
};

/** The OpenAPI 3.1 document of the service. Written by hand; a test compares it with the responses. */
const document = {
  openapi: "3.1.0",
  info: {
    title: "Animal Adoption Store",
    version: "1.0.0",
    license: { name: "MIT", identifier: "MIT" },
    contact: { name: "pets" },
    description:
      "Lists and adds animals offered for adoption. HEAD works where GET does. With a valid key, any other path gets 404, and any other method 405 with `Allow`, both with an Error body.",
  },
  tags: [{ name: "pets", description: "The animals." }],
  security: [{ apiKey: [] }],
  paths: {
    "/pets": { get: listPets, post: createPet },
    "/pets/{petId}": { get: getPet },
  },
  components: {
    securitySchemes: { apiKey: { type: "http", scheme: "bearer" } },
    schemas,
    headers,
    responses: Object.fromEntries(
      Object.entries(failures).map(([name, { response: its }]) => [name, its]),
    ),
  },
};

/** Returns the document as JSON text, for the service at `url`: without an absolute one, generated clients do not work. */
export function openApi(url: string): string {
  return JSON.stringify({ ...document, servers: [{ url }] });
}
