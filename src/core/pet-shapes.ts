import { toInt64 } from "./int64.ts";
import { asPetStatus, type Pet } from "./pet.ts";

// Values out of `parseExact`. Whether one keeps to api.md is told here, what is wrong with it in
// `schemas`: to load zod takes as long as a request, and next to no reply needs it.

/** The body of an error reply (api.md, Error). */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

/** `value` as a Pet of api.md, without fields that are not named there; undefined where it is none. */
export function decodePet(value: unknown): Pet | undefined {
  if (!isObject(value)) return undefined;
  const { name, status: given } = value;
  const id = toInt64(value.id);
  const categoryId = toInt64(value.categoryId);
  const status = asPetStatus(given);
  if (id === undefined || categoryId === undefined || typeof name !== "string") return undefined;
  if (given === undefined) return { id, name, categoryId };
  return status && { id, name, categoryId, status };
}

/** `value` as the list of api.md; undefined where it is none. */
export function decodePets(value: unknown): readonly Pet[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const pets: Pet[] = [];
  for (const item of value) {
    const pet = decodePet(item);
    if (pet === undefined) return undefined;
    pets.push(pet);
  }
  return pets;
}

/** `value` as an Error of api.md; undefined where it is none. */
export function decodeError(value: unknown): ErrorBody | undefined {
  if (!isObject(value)) return undefined;
  const { code, message, status } = value;
  if (typeof code !== "string" || typeof message !== "string") return undefined;
  return Number.isSafeInteger(status) ? { code, message, status: Number(status) } : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
