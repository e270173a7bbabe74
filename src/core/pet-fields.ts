import { petStatuses } from "./enums.ts";
import { int64Max, int64Min, isInteger, parseInt64 } from "./int64.ts";
import { escapeControls } from "./sanitize.ts";
import { isPlaceholder } from "./strings.ts";
import { oneOf, problemIn, type Syntax } from "./syntax.ts";

// What `--help` loads of an animal: this file must not import zod.

interface PetFieldDefinition {
  /** Numbers are int64 in digits; statuses are one of `petStatuses`. */
  readonly kind: "text" | "number" | "status";
  readonly header: string;
  readonly required: boolean;
  /** Another name that a column of an input may have. */
  readonly column?: string;
}

/** The fields of an animal that is added, in their order. What needs code for each does not compile until it has it. */
const newPetFields = {
  name: { kind: "text", header: "NAME", required: true },
  categoryId: { kind: "number", header: "CATEGORY", required: true, column: "category" },
  status: { kind: "status", header: "STATUS", required: false },
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

/** An int64 in digits: `-?(0|[1-9][0-9]*)`. */
export const idSyntax: Syntax<bigint> = {
  parse: parseInt64,
  allowed: (text) => (isInteger(text) ? `from ${int64Min} to ${int64Max}` : "an integer"),
};

/** A status, in any case. */
export const statusSyntax: Syntax<PetStatus> = {
  ...oneOf(petStatuses),
  parse: (text) => asPetStatus(text.toLowerCase()),
};

const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/u;

/** Returns whether nothing of a name can be seen. */
export function isEmptyName(name: string): boolean {
  return !visible.test(name);
}

/** Returns the syntax of a field that is no name. */
export const syntaxOf = (field: Exclude<NewPetField, "name">): Syntax<bigint | PetStatus> =>
  field === "status" ? statusSyntax : idSyntax;

/** Returns what is wrong with a name that was typed as `what`; undefined if nothing is. */
export function problemInName(what: string, name: string): string | undefined {
  if (isPlaceholder(name)) return `${what}: replace ${name} with a name`;
  if (isEmptyName(name)) return `${what} must not be empty`;
  const problem = wrongText(name);
  return problem && `${what} ${JSON.stringify(name)} ${problem}`;
}

/** Returns what is wrong with the text of a field, which messages call `what`; undefined if nothing is. */
export function problemInField(field: NewPetField, what: string, text: string): string | undefined {
  if (field === "name") return problemInName(what, text);
  const syntax = syntaxOf(field);
  return syntax.parse(text) === undefined ? problemIn(what, syntax, text) : undefined;
}

function wrongText(name: string): string | undefined {
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
