import { createPet, getPet, headOperation, listPets } from "./operations.ts";
import { reply, rootFailures, sharedHeaders, unavailable } from "./responses.ts";
import { schemaRef, schemas } from "./schemas.ts";

const getHealth = {
  operationId: "getHealth",
  tags: ["service"],
  summary: "Check whether the store can use its data",
  description: "Needs no key, and does not count towards the rate limits.",
  security: [],
  responses: {
    200: reply("They can.", schemaRef("Health")),
    ...rootFailures,
    503: unavailable,
  },
};

const { 500: _failed, ...descriptionFailures } = rootFailures;

const getDescription = {
  operationId: "getDescription",
  tags: ["service"],
  summary: "Get this document",
  description: "Needs no key, and does not count towards the rate limits.",
  security: [],
  responses: {
    200: reply("The OpenAPI document of the service.", schemaRef("OpenApi")),
    ...descriptionFailures,
  },
};

/** A path that is not below /v1. */
const atRoot = (get: typeof getHealth | typeof getDescription) => ({
  servers: [{ url: "/" }],
  get,
  head: headOperation(get),
});

/**
 * The OpenAPI 3.1 document of `routes.ts`, as JSON text. Written by hand; a test compares it with
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
    "/pets": { get: listPets, head: headOperation(listPets), post: createPet },
    "/pets/{petId}": { get: getPet, head: headOperation(getPet) },
    "/healthz": atRoot(getHealth),
    "/openapi.json": atRoot(getDescription),
  },
  components: {
    securitySchemes: { apiKey: { type: "http", scheme: "bearer" } },
    schemas,
    headers: sharedHeaders,
  },
});
