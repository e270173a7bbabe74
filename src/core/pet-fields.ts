import { petStatuses } from "./enums.ts";
import { int64Max, int64Min, isInteger, parseInt64 } from "./int64.ts";
import { escapeControls } from "./sanitize.ts";

// What `--help` loads of an animal: this file must not import zod.

interface PetFieldDefinition {
  /** Numbers are int64 in digits; statuses are one of `petStatuses`. */
  readonly kind: "text" | "number" | "status";
  readonly header: string;
  readonly required: boolean;
  /** Another name that a column of an input may have. */
  readonly column?: string;
  /** What its value must be, as messages say it after the name of the field or flag. */
  readonly rule: string;
}

/** The fields of an animal that is added, in their order. What needs code for each does not compile until it has it. */
const newPetFields = {
  name: { kind: "text", header: "NAME", required: true, rule: "must not be empty" },
  categoryId: {
    kind: "number",
    header: "CATEGORY",
    required: true,
    column: "category",
    rule: "must be an integer",
  },
  status: {
    kind: "status",
    header: "STATUS",
    required: false,
    rule: `must be one of ${petStatuses.join(", ")}`,
  },
} as const satisfies Readonly<Record<string, PetFieldDefinition>>;

export type NewPetField = keyof typeof newPetFields;

export type PetField = "id" | NewPetField;

export const newPetFieldNames: readonly NewPetField[] =
  Object.keys(newPetFields).filter(isNewPetField);

export const newPetFieldList: readonly (PetFieldDefinition & { readonly field: NewPetField })[] =
  newPetFieldNames.map((field) => Object.assign({ field }, newPetFields[field]));

export const requiredPetFields = newPetFieldNames.filter((field) => newPetFields[field].required);

export const petFieldNames: readonly PetField[] = ["id", ...newPetFieldNames];

function isNewPetField(text: string): text is NewPetField {
  return Object.hasOwn(newPetFields, text);
}

/** Returns a text that is equal exactly for animals that are equal in `fields`; a missing value differs from any given. */
export function petText(
  pet: Readonly<Partial<Record<NewPetField, string | bigint | undefined>>>,
  fields: readonly NewPetField[] = newPetFieldNames,
): string {
  let text = "";
  for (const field of fields) {
    const value = pet[field];
    // With the length before it, no value runs into the next.
    const shown = value === undefined ? "" : String(value);
    text += value === undefined ? "-" : `${shown.length}:${shown}`;
  }
  return text;
}

export type PetStatus = (typeof petStatuses)[number];

/** Returns the rule of a field that `text` breaks: for a number that it is one, or that it has 64 bits. */
export function brokenRule(field: NewPetField, text: string): string {
  const { kind, rule } = newPetFields[field];
  const isOutside = kind === "number" && isInteger(text) && parseInt64(text) === undefined;
  return isOutside ? `must be from ${int64Min} to ${int64Max}` : rule;
}

const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/u;

/** Returns whether nothing of a name can be seen. */
export function isEmptyName(name: string): boolean {
  return !visible.test(name);
}

/** Returns what a name that was typed must not be, or must be; undefined if nothing is wrong with it. */
export function wrongTypedName(name: string): string | undefined {
  if (isEmptyName(name)) return newPetFields.name.rule;
  if (name.includes("\uFFFD"))
    return "must be UTF-8 text: the terminal or the script uses another encoding";
  const [, first, last] = /^ *(\p{Cc})|(\p{Cc}) *$/u.exec(name) ?? [];
  if (first !== undefined)
    return `must not begin with the control character ${escapeControls(first)}`;
  if (last === "\r") return "must not end with \\r: the script has the line ends of Windows";
  return last && `must not end with the control character ${escapeControls(last)}`;
}

/** Returns `value` if it is a status of an animal. */
export function asPetStatus(value: unknown): PetStatus | undefined {
  return petStatuses.find((status) => status === value);
}
