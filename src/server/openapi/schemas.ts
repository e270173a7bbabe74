import { petStatuses } from "../../core/enums.ts";
import { int64Max, int64Min } from "../../core/int64.ts";
import { type NewPetField, requiredPetFields } from "../../core/pet-fields.ts";
import { errorCodes } from "../api/errors.ts";

/** The schema of an id. */
export const int64Schema = { type: "integer", format: "int64" };

/** Returns a reference to one of `schemas`. */
export function schemaRef(name: keyof typeof schemas): object {
  return { $ref: `#/components/schemas/${name}` };
}

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

/** The schemas of the service, by name. */
export const schemas = {
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
