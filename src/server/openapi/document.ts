import { pageSize } from "../../core/api.ts";
import {
  components,
  deprecated,
  failing,
  int64Schema,
  rated,
  response,
  schemaRef,
} from "./components.ts";

const serviceFailures = failing(
  "BadRequest",
  "Unauthorized",
  "TooSlow",
  "RateLimited",
  "HeadersTooLong",
  "Failed",
  "Unavailable",
);
const rootFailures = failing("Unreadable", "TooSlow", "HeadersTooLong");

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
    200: response(
      "The newest animals.",
      { type: "array", maxItems: pageSize.max, items: schemaRef("Pet") },
      rated,
    ),
    ...serviceFailures,
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
    201: response("The animal that was added.", schemaRef("Pet"), rated),
    ...failing("TooLarge"),
    ...serviceFailures,
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
    200: response("The animal.", schemaRef("Pet"), { ...rated, ...deprecated }),
    ...failing("NotFound", "Gone"),
    ...serviceFailures,
  },
};

/** What operations at the root share. */
const open = {
  tags: ["service"],
  description: "Needs no key, and does not count towards the rate limits.",
  security: [],
  servers: [{ url: "/" }],
};

const getHealth = {
  ...open,
  operationId: "getHealth",
  summary: "Check whether the store can use its data",
  responses: {
    200: response("It can.", schemaRef("Health")),
    ...rootFailures,
    ...failing("HealthFailed", "Unhealthy"),
  },
};

const getDescription = {
  ...open,
  operationId: "getDescription",
  summary: "Get this document",
  responses: {
    200: response("The OpenAPI document of the service.", { type: "object" }),
    ...rootFailures,
  },
};

/**
 * The OpenAPI 3.1 document of the service, as JSON text. Written by hand; a test compares it with
 * the responses.
 */
export const openApi = JSON.stringify({
  openapi: "3.1.0",
  info: {
    title: "Animal Adoption Store",
    version: "1.0.0",
    license: { name: "MIT", identifier: "MIT" },
    contact: { name: "pets" },
    description:
      "Lists and adds animals offered for adoption. HEAD works where GET does. Any other path gets 404, and any other method 405 with `Allow`, both with an Error body; below `/v1` only with a valid key.",
  },
  servers: [{ url: "/v1" }],
  tags: [
    { name: "pets", description: "The animals." },
    { name: "service", description: "The service itself." },
  ],
  security: [{ apiKey: [] }],
  paths: {
    "/pets": { get: listPets, post: createPet },
    "/pets/{petId}": { get: getPet },
    "/healthz": { get: getHealth },
    "/openapi.json": { get: getDescription },
  },
  components,
});
