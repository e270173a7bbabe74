import * as z from "../vendor/zod.ts";
import { toInt64 } from "./int64.ts";
import { type NewPet, type Pet, type PetStatus, petStatuses } from "./types.ts";

/** The body of an error reply (api.md, Error). */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

/** A value that keeps to api.md, or where it does not: `place` is empty for the value as a whole. */
export type Checked<T> =
  | { readonly value: T }
  | { readonly violation: { readonly place: string; readonly rule: string } };

/** Takes what `parseExact` makes of a number, so only one that is written as an integer. */
const int64 = z.pipe(
  z.transform((input: unknown, context) => {
    const value = toInt64(input);
    if (value !== undefined) return value;
    context.issues.push({ code: "custom", message: "must be an int64, in digits", input });
    return z.NEVER;
  }),
  z.bigint(),
);

const text = z.string("must be a string");
const status = z.optional(z.enum(petStatuses, `must be ${petStatuses.join(", ")} or left out`));

const newPet = z.object({ name: text, categoryId: int64, status }, "must be an object");
const pet = z.object({ id: int64, ...newPet.shape }, "must be an object");
const errorBody = z.object({ code: text, message: text, status: z.int() }, "must be an object");

/** Checks a value out of `parseExact` against NewPet of api.md; fields not named there are dropped. */
export function checkNewPet(value: unknown): Checked<NewPet> {
  const result = newPet.safeParse(value);
  return result.success ? { value: withoutMissing(result.data) } : violation(result.error);
}

/**
 * Checks a value out of `parseExact` against Pet of api.md; fields not named there are dropped.
 * `place` is where it stands (`[3]`).
 */
export function checkPet(value: unknown, place = ""): Checked<Pet> {
  const result = pet.safeParse(value);
  return result.success ? { value: withoutMissing(result.data) } : violation(result.error, place);
}

/** Checks a value out of `parseExact` against the list of api.md, up to the first violation. */
export function checkPets(value: unknown): Checked<readonly Pet[]> {
  if (!Array.isArray(value)) return { violation: { place: "", rule: "must be an array" } };
  const pets: Pet[] = [];
  for (const [index, item] of value.entries()) {
    const checked = checkPet(item, `[${index}]`);
    if ("violation" in checked) return checked;
    pets.push(checked.value);
  }
  return { value: pets };
}

/** `value`, out of `parseExact`, as an Error of api.md, or undefined where it is none. */
export function asErrorBody(value: unknown): ErrorBody | undefined {
  const result = errorBody.safeParse(value);
  return result.success ? result.data : undefined;
}

/** The first thing that is wrong, and where: `[3].categoryId`. */
function violation({ issues: [issue] }: z.core.$ZodError, place = ""): Checked<never> {
  const path = [place, ...(issue?.path ?? []).map(String)].filter((part) => part !== "");
  return { violation: { place: path.join("."), rule: issue?.message ?? "is invalid" } };
}

/** An animal whose status is missing has no such key, rather than one that is undefined. */
function withoutMissing<T extends { status?: PetStatus | undefined }>(
  animal: T,
): Omit<T, "status"> & { status?: PetStatus } {
  const { status: given, ...rest } = animal;
  return given === undefined ? rest : { ...rest, status: given };
}
