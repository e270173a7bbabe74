import { int64Max, int64Min } from "../api/int64.ts";
import { pageSize, petStatuses } from "../api/types.ts";
import { openApiReplies, reply } from "./openapi-replies.ts";

const statusRef = { $ref: "#/components/schemas/PetStatus" };
const pet = { $ref: "#/components/schemas/Pet" };
const newPet = { $ref: "#/components/schemas/NewPet" };
const int64 = { type: "integer", format: "int64" };
const failures = {
  429: { $ref: "#/components/responses/TooManyRequests" },
  500: { $ref: "#/components/responses/Failed" },
  503: { $ref: "#/components/responses/Unavailable" },
};
const unauthorized = { 401: { $ref: "#/components/responses/Unauthorized" } };
const badRequest = { 400: { $ref: "#/components/responses/BadRequest" } };

const listPets = {
  operationId: "listPets",
  summary: "List animals, newest first",
  parameters: [
    {
      name: "limit",
      in: "query",
      description: "Maximum number of animals to return, in digits alone. Given once at most.",
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
      description: "Only animals with this status. Given once at most.",
      schema: statusRef,
    },
  ],
  responses: {
    200: reply("The newest animals.", { type: "array", maxItems: pageSize.max, items: pet }),
    ...badRequest,
    ...unauthorized,
    ...failures,
  },
};

const createPet = {
  operationId: "createPet",
  summary: "Add an animal",
  requestBody: {
    required: true,
    description: "At most 64 KiB. Fields that are not in NewPet are ignored.",
    content: { "application/json": { schema: newPet } },
  },
  responses: {
    201: reply("The animal that was added.", pet),
    ...badRequest,
    ...unauthorized,
    413: { $ref: "#/components/responses/PayloadTooLarge" },
    ...failures,
  },
};

const getPet = {
  operationId: "getPet",
  summary: "Get an animal",
  description:
    "Deprecated, and removed on 5 December 2030. Use `GET /pets` with `status` in its place.",
  deprecated: true,
  parameters: [{ name: "petId", in: "path", required: true, schema: int64 }],
  responses: {
    200: { ...reply("The animal.", pet), headers: openApiReplies.deprecationHeaders },
    ...unauthorized,
    404: { $ref: "#/components/responses/NotFound" },
    410: { $ref: "#/components/responses/Gone" },
    ...failures,
  },
};

const name = {
  type: "string",
  minLength: 1,
  pattern: "\\S",
  description: "Something other than spaces; without NUL.",
};
const categoryId = { ...int64, description: `From ${int64Min} to ${int64Max}, in digits alone.` };
const petFields = { name, categoryId, status: statusRef };

const schemas = {
  PetStatus: { type: "string", enum: petStatuses },
  NewPet: { type: "object", required: ["name", "categoryId"], properties: petFields },
  Pet: {
    type: "object",
    required: ["id", "name", "categoryId"],
    properties: { id: { ...int64, minimum: 1 }, ...petFields },
  },
  Error: openApiReplies.errorSchema,
};

const root = { servers: [{ url: "/" }], security: [] };

/** The OpenAPI 3.1 document of what `routes.ts` answers, as JSON text. Kept by hand. */
export const openApi = JSON.stringify({
  openapi: "3.1.0",
  info: {
    title: "Animal Adoption Store",
    version: "1.0.0",
    description: "Lists and adds animals offered for adoption.",
  },
  servers: [{ url: "/v1" }],
  security: [{ apiKey: [] }],
  paths: {
    "/pets": { get: listPets, post: createPet },
    "/pets/{petId}": { get: getPet },
    "/healthz": {
      servers: root.servers,
      get: {
        operationId: "getHealth",
        summary: "Tell whether the store answers",
        security: root.security,
        responses: {
          200: {
            description: "It does.",
            content: { "application/json": { schema: openApiReplies.healthSchema } },
          },
        },
      },
    },
  },
  components: {
    securitySchemes: { apiKey: { type: "http", scheme: "bearer" } },
    schemas,
    responses: openApiReplies.responses,
    headers: openApiReplies.headers,
  },
});
