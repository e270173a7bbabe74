import { int64Max, int64Min, toInt64 } from "../../core/int64.ts";
import { asPetStatus, type NewPet, type PetStatus } from "../../core/pet.ts";
import { petStatuses } from "../../core/enums.ts";
import { parseExact } from "../../core/json/parse.ts";

/** Why a NewPet is none: the field, where it is about one, and what is allowed. */
export class InvalidPet extends Error {
  readonly field: string | undefined;

  constructor(field: string | undefined, message: string) {
    super(message);
    this.name = "InvalidPet";
    this.field = field;
  }
}

// What parses the text skips a byte-order mark, and one alone may go.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The NewPet of a body: the bytes of a JSON object in UTF-8 (api.md, NewPet; store.md, Answers).
 * Fields that are not in NewPet are ignored. Throws an InvalidPet.
 */
export function readNewPet(bytes: Uint8Array): NewPet {
  const fields = readObject(bytes);
  const name = readName(fields.name);
  const categoryId = readCategoryId(fields.categoryId);
  const status = readStatus(fields.status);
  return { name, categoryId, ...(status !== undefined && { status }) };
}

/** An animal as it is sent: the JSON text of a Pet, with its id and category digit for digit. */
export function petJson(id: bigint | string, pet: NewPet): string {
  return `${petJsonStart}${id}${petJsonEnd(pet)}`;
}

/** What stands before the id in `petJson`. */
export const petJsonStart = '{"id":';

/** What stands behind the id in `petJson`. */
export function petJsonEnd({ name, categoryId, status }: NewPet): string {
  const ending = status === undefined ? "" : `,"status":"${status}"`;
  return `,"name":${JSON.stringify(name)},"categoryId":${categoryId}${ending}}`;
}

function readObject(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const value = readJson(bytes);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  const given = Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`;
  throw new InvalidPet(undefined, `the body must be a JSON object, and is ${given}`);
}

function readJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0)
    throw new InvalidPet(undefined, "the body must be a JSON object, and is empty");
  try {
    return parseExact(decoder.decode(bytes));
  } catch (error) {
    const isText = error instanceof SyntaxError;
    const reason = isText ? "is no valid JSON" : "is no valid UTF-8";
    throw new InvalidPet(undefined, `the body must be a JSON object, and ${reason}`);
  }
}

function readName(value: unknown): string {
  const allowed = "name must be a string with something other than spaces in it";
  if (value === undefined) throw new InvalidPet("name", `name is missing: ${allowed}`);
  if (typeof value !== "string" || value.trim() === "") throw new InvalidPet("name", allowed);
  if (value.includes("\0")) throw new InvalidPet("name", "name must not hold the character NUL");
  if (!value.isWellFormed())
    throw new InvalidPet("name", "name must be valid Unicode, without lone surrogates");
  return value;
}

function readCategoryId(value: unknown): bigint {
  const allowed = `categoryId must be a whole number from ${int64Min} to ${int64Max}, in digits alone`;
  if (value === undefined) throw new InvalidPet("categoryId", `categoryId is missing: ${allowed}`);
  const categoryId = toInt64(value);
  if (categoryId === undefined) throw new InvalidPet("categoryId", allowed);
  return categoryId;
}

function readStatus(value: unknown): PetStatus | undefined {
  if (value === undefined) return undefined;
  const status = asPetStatus(value);
  if (status === undefined)
    throw new InvalidPet("status", `status must be one of ${petStatuses.join(", ")}`);
  return status;
}
