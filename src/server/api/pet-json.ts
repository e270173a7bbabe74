import * as z from "zod/mini";
import { petStatuses } from "../../core/enums.ts";
import { isRecord, parseExact } from "../../core/json/parse.ts";
import { decode, type NewPet, newPetSchema, type WithOnly } from "../../core/pet.ts";
import { badRequest } from "./errors.ts";

/** The maximum size of a body that is read (`help store`). */
export const maxRequestBytes = 65_536;

// `parseExact` skips one byte-order mark, so the decoder must keep it.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const anyPet = newPetSchema({
  name: "name must be a string that is not blank",
  categoryId: "categoryId must be a 64-bit integer, written in digits alone",
  status: `status must be one of ${petStatuses.join(", ")}`,
});

/** A NewPet whose name every storage can hold. */
const storablePet = z.object({
  ...anyPet.shape,
  name: anyPet.shape.name.check(
    z.refine((name) => !name.includes("\0"), "name must not contain NUL"),
    z.refine((name) => name.isWellFormed(), "name must be valid Unicode, without lone surrogates"),
  ),
});

/** Returns the NewPet in a JSON object, without other fields. Throws an ApiError (400) that names the field, or `what` was read. */
export function parseNewPet(bytes: Uint8Array, what?: string): NewPet {
  const fields = parseObject(bytes, what);
  const decoded = decode(storablePet, fields);
  if ("value" in decoded) return decoded.value;
  const { path, rule } = decoded.violation;
  const field = String(path[0]);
  throw badRequest(fields[field] === undefined ? `${field} is missing` : rule);
}

/** Returns the JSON text of a Pet, with its id and category digit for digit. */
export function petJson(id: bigint | string, pet: NewPet): string {
  return `${petJsonStart}${id}${petJsonEnd(pet)}`;
}

/** The part of `petJson` before the id. */
export const petJsonStart = '{"id":';

type EveryField = WithOnly<NewPet, "name" | "categoryId" | "status">;

/** Returns the part of `petJson` after the id. */
export function petJsonEnd({ name, categoryId, status }: EveryField): string {
  const ending = status === undefined ? "" : `,"status":"${status}"`;
  return `,"name":${JSON.stringify(name)},"categoryId":${categoryId}${ending}}`;
}

/** Returns the JSON object in `bytes`. Throws an ApiError (400). */
export function parseObject(
  bytes: Uint8Array,
  what = "the body",
): Readonly<Record<string, unknown>> {
  const invalid = (why: string) => badRequest(`${what} must be a JSON object, ${why}`);
  if (bytes.length === 0) throw invalid("but is empty");
  let value: unknown;
  try {
    value = parseExact(decoder.decode(bytes));
  } catch (error) {
    throw invalid(`but is not valid ${error instanceof SyntaxError ? "JSON" : "UTF-8"}`);
  }
  if (isRecord(value)) return value;
  throw invalid("but is another JSON value");
}
