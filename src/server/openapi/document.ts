import { pageSize } from "../../core/api.ts";
import { deprecationHeaders } from "../api/response.ts";
import {
  constantHeader,
  missing,
  type OpenApiReplies,
  type OpenApiReply,
  rated,
  ratedFailures,
  reply,
  rootFailures,
  sharedHeaders,
  tooLarge,
  unhealthy,
} from "./responses.ts";
import { int64Schema, schemaRef, schemas } from "./schemas.ts";

const listPets = {
  operationId: "listPets",
  tags: ["pets"],
  summary: "List animals, newest first",
  description:
    "There is no next page: at most the newest 100 animals, or the newest 100 of a status.",
  parameters: [
    {
      name: "limit",
      in: "query",
      description: "Maximum number of animals to return, in digits alone. Given at most once.",
      schema: {
        type: "integer",
        minimum: pageSize.min,
        maximum: pageSize.max,
        default: pageSize.default,
      },
    },
    {
      name: "status",
      in: "query",
      description: "Only animals with this status. Given at most once.",
      schema: schemaRef("PetStatus"),
    },
  ],
  responses: {
    200: reply(
      "The newest animals.",
      { type: "array", maxItems: pageSize.max, items: schemaRef("Pet") },
      rated,
    ),
    ...ratedFailures,
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
    content: { "application/json": { schema: schemaRef("NewPet") } },
  },
  responses: {
    201: reply("The animal that was added.", schemaRef("Pet"), rated),
    ...tooLarge,
    ...ratedFailures,
  },
};

const getPet = {
  operationId: "getPet",
  tags: ["pets"],
  summary: "Get an animal",
  description:
    "Deprecated, and removed on 5 December 2030. Use `GET /pets` with `status` in its place.",
  deprecated: true,
  parameters: [{ name: "petId", in: "path", required: true, schema: int64Schema }],
  responses: {
    ...withDeprecation({ 200: reply("The animal.", schemaRef("Pet"), rated), ...missing }),
    ...ratedFailures,
  },
};

const open = {
  tags: ["service"],
  description: "Needs no key, and does not count towards the rate limits.",
  security: [],
};

const getHealth = {
  ...open,
  operationId: "getHealth",
  summary: "Check whether the store can use its data",
  responses: { 200: reply("They can.", schemaRef("Health")), ...rootFailures, ...unhealthy },
};

const getDescription = {
  ...open,
  operationId: "getDescription",
  summary: "Get this document",
  responses: {
    200: reply("The OpenAPI document of the service.", { type: "object" }),
    ...rootFailures,
  },
};

/** Adds the headers that announce the removal of `GET /pets/{petId}`. */
function withDeprecation(replies: OpenApiReplies): OpenApiReplies {
  const { Sunset, Deprecation, Link } = deprecationHeaders;
  const deprecation = {
    Sunset: constantHeader("When the operation is removed (RFC 8594).", Sunset),
    Deprecation: constantHeader("Since when it is deprecated (RFC 9745).", Deprecation),
    Link: constantHeader("The operation that replaces it (RFC 5829).", Link),
  };
  const announce = (each: OpenApiReply) => ({
    ...each,
    headers: { ...each.headers, ...deprecation },
  });
  return mapReplies(replies, announce);
}

/** Returns a GET operation and its HEAD operation, with the same replies without their bodies. */
function getAndHead<Get extends typeof getHealth | typeof listPets | typeof getPet>(get: Get) {
  const head = {
    ...get,
    operationId: get.operationId.replace(/^(?:get|list)/, "head"),
    summary: `${get.summary}: the headers alone`,
    description: `As GET, without a body. ${get.description}`,
    responses: mapReplies(get.responses, ({ content: _content, ...bare }) => bare),
  };
  return { get, head };
}

function mapReplies(
  replies: OpenApiReplies,
  change: (reply: OpenApiReply) => OpenApiReply,
): OpenApiReplies {
  return Object.fromEntries(
    Object.entries(replies).map(([status, each]) => [status, change(each)]),
  );
}

/** What is not below /v1. */
const atRoot = { servers: [{ url: "/" }] };

/**
 * The OpenAPI 3.1 document of the service, as JSON text. Written by hand; a test compares it with
 * the replies.
 */
export const openApi = JSON.stringify({
  openapi: "3.1.0",
  info: {
    title: "Animal Adoption Store",
    version: "1.0.0",
    license: { name: "MIT", identifier: "MIT" },
    contact: { name: "pets", url: "https://github.com/animal-adoption-store/pets/issues" },
    description:
      "Lists and adds animals offered for adoption. Any other path is answered with 404, and any other method with 405 and `Allow`, both with an Error body; below `/v1` only to those with a valid key.",
  },
  servers: [{ url: "/v1" }],
  tags: [
    { name: "pets", description: "The animals." },
    { name: "service", description: "The service itself." },
  ],
  security: [{ apiKey: [] }],
  paths: {
    "/pets": { ...getAndHead(listPets), post: createPet },
    "/pets/{petId}": getAndHead(getPet),
    "/healthz": { ...atRoot, ...getAndHead(getHealth) },
    "/openapi.json": { ...atRoot, ...getAndHead(getDescription) },
  },
  components: {
    securitySchemes: { apiKey: { type: "http", scheme: "bearer" } },
    schemas,
    headers: sharedHeaders,
  },
});
