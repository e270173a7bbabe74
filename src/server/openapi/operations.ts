import { pageSize } from "../../core/api.ts";
import { deprecationHeaders } from "../api/response.ts";
import { type OpenApiReply, rated, ratedFailures, reply } from "./responses.ts";
import { petIdSchema, schemaRef } from "./schemas.ts";

/** An Operation Object of OpenAPI. */
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly responses: Readonly<Record<number, OpenApiReply>>;
}

const { 404: notFound, 410: gone, 413: tooLarge, ...failures } = ratedFailures;

/** `GET /pets`. */
export const listPets = {
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
    ...failures,
  },
};

/** `POST /pets`. */
export const createPet = {
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
    413: tooLarge,
    ...failures,
  },
};

const constantHeader = (description: string, value: string) => ({
  description,
  required: true,
  schema: { type: "string", const: value },
});

const { Sunset, Deprecation, Link } = deprecationHeaders;

/** The headers that announce the removal of `GET /pets/{petId}`. */
const deprecation = {
  Sunset: constantHeader("When the operation is removed (RFC 8594).", Sunset),
  Deprecation: constantHeader("Since when it is deprecated (RFC 9745).", Deprecation),
  Link: constantHeader("The operation that replaces it (RFC 5829).", Link),
};

const documentDeprecation = (response: OpenApiReply): OpenApiReply => ({
  ...response,
  headers: { ...response.headers, ...deprecation },
});

/** `GET /pets/{petId}`. */
export const getPet = {
  operationId: "getPet",
  tags: ["pets"],
  summary: "Get an animal",
  description:
    "Deprecated, and removed on 5 December 2030. Use `GET /pets` with `status` in its place.",
  deprecated: true,
  parameters: [{ name: "petId", in: "path", required: true, schema: petIdSchema }],
  responses: {
    200: documentDeprecation(reply("The animal.", schemaRef("Pet"), rated)),
    404: documentDeprecation(notFound),
    410: documentDeprecation(gone),
    ...failures,
  },
};

/** Returns the HEAD operation of a GET operation: its replies, without their bodies. */
export function headOperation(get: Operation): Operation {
  const responses = Object.entries(get.responses).map(([status, response]) => {
    const { content: _content, ...bare } = response;
    return [status, bare];
  });
  return {
    ...get,
    operationId: get.operationId.replace(/^(?:get|list)/, "head"),
    summary: `${get.summary}: the headers alone`,
    description: `As GET, without a body. ${get.description}`,
    responses: Object.fromEntries(responses),
  };
}
