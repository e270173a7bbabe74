import * as z from "zod/mini";
import { pageSize } from "./api.ts";
import { petStatuses } from "./enums.ts";
import { toInt64 } from "./int64.ts";
import { isEmptyName, type NewPetField } from "./pet-fields.ts";

// The schemas take what `parseExact` returns, in which an int64 is still exact, and drop fields that they do not name.

type PetRules = Readonly<Record<NewPetField, string>>;

/** Accepts a number that is written as an integer of at most 64 bits. */
function int64(rule: string) {
  return z.transform((input: unknown, context): bigint => {
    const value = toInt64(input);
    if (value === undefined) context.issues.push({ code: "custom", message: rule, input });
    return value ?? 0n;
  });
}

const notObject = "must be an object";
const notInt64 = "must be a 64-bit integer";

export const petSchema = z.object(
  {
    id: int64(notInt64),
    name: z.string("must be a string"),
    categoryId: int64(notInt64),
    // The service may learn another word.
    status: z.optional(
      z.pipe(
        z.nullable(z.string("must be a string or left out")),
        z.transform((text) => text ?? undefined),
      ),
    ),
  },
  notObject,
);

const petsSchema = z.array(petSchema, "must be an array");

export type Pet = Readonly<z.core.output<typeof petSchema>>;

/** Returns the schema of an animal to be added, whose name must not be empty; `rules` are the words of its violations. */
export function newPetSchema(rules: PetRules) {
  const fields = {
    name: z.string(rules.name).check(z.refine((text) => !isEmptyName(text), rules.name)),
    categoryId: int64(rules.categoryId),
    status: z.optional(z.enum(petStatuses, rules.status)),
  } satisfies Readonly<Record<NewPetField, unknown>>;
  return z.object(fields, notObject);
}

export type NewPet = Readonly<z.core.output<ReturnType<typeof newPetSchema>>>;

/** `Whole` if `Handled` is all of its keys, else never: a function that writes each field by hand takes this. */
export type WithOnly<Whole, Handled extends keyof Whole> =
  Exclude<keyof Whole, Handled> extends never ? Whole : never;

/** The first rule that a value breaks, and where: the path of the value itself is empty. */
export interface Violation {
  readonly path: readonly PropertyKey[];
  readonly rule: string;
}

export type Decoded<T> = { readonly value: T } | { readonly violation: Violation };

/** Returns `value` as `schema` decodes it. */
export function decode<T>(schema: z.core.$ZodType<T>, value: unknown): Decoded<T> {
  const result = z.safeParse(schema, value);
  if (result.success) return { value: result.data };
  const [issue] = result.error.issues;
  return { violation: { path: issue?.path ?? [], rule: issue?.message ?? "is not valid" } };
}

/** Returns the first `most` Pets of a list: some services ignore the limit. */
export function decodePets(value: unknown, most: number): Decoded<readonly Pet[]> {
  const { max } = pageSize;
  if (!Array.isArray(value)) return decode(petsSchema, value);
  if (value.length > max)
    return { violation: { path: [max], rule: `exceeds the maximum of ${max} animals` } };
  return decode(petsSchema, value.slice(0, most));
}
