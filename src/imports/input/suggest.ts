import path from "node:path";
import { petStatuses } from "../../core/enums.ts";
import { Failure, usageFailure } from "../../core/errors.ts";
import { formatCount, type RowPlace } from "../../core/format.ts";
import {
  asPetStatus,
  brokenRule,
  newPetFieldNames,
  type NewPetField,
  requiredPetFields,
} from "../../core/pet-fields.ts";
import type { NewPet } from "../../core/pet.ts";
import { shellCommand } from "../../core/shell-quote.ts";
import { closeMatch } from "../../core/strings.ts";
import type { Fault, Flags, HeaderFacts, Path, ReadOptions, ReadRow, RowFacts } from "../types.ts";
import { excerpt, guessByName, normalize, quote, show } from "./columns.ts";
import { anyOther, type InputFacts, roundedNumber, wordsOf } from "./facts.ts";
import type { InputFile } from "./open.ts";
import { textOf } from "./row.ts";

// Facts of an input in words, and the flags that would cure it. What only the user knows is a word in angle brackets.

/** Returns the row of this number (from 0), which begins in a line, with what is wrong with it in words. */
export function rowAt(
  index: number,
  place: RowPlace,
  found: NewPet | Fault,
  key?: string,
): ReadRow {
  if ("columns" in found)
    return { ...place, message: headerMessage(found), fatal: "header", fault: found };
  if ("wrong" in found) return { ...place, name: found.name, ...rowMessage(found), fault: found };
  if (!("message" in found)) {
    if (!roundedNumber.test(key?.trim() ?? "")) return { index, ...place, pet: found, key };
    const message = `${quote(key ?? "")} ${roundedAdvice}`;
    return { ...place, name: found.name, field: "key", message, fault: { message } };
  }
  const { cure: _cure, ...fault } = found;
  return { ...place, ...fault, fault: found };
}

const maxNamed = 20;
const maxUnknown = 10;
const fieldList = newPetFieldNames.join(", ");

function headerMessage(facts: HeaderFacts): string {
  const { columns, unknown, absent, repeated, kind, titleLines } = facts;
  if (titleLines > 0) return `not a header; line ${titleLines + 1} looks like one`;
  if (kind === "quoted") return "the header is quoted, so this is CSV, not TSV";
  const names = columns.map(({ name }) => name);
  const twice = columns.find(({ name }) => repeated.includes(name));
  if (twice !== undefined)
    return `the header has more than one column for ${twice.field}: ${excerpt(repeated.join(", "))}`;
  if (kind === "data")
    return `expected a header such as name,categoryId,status; the first row is ${places(columns)}`;
  const missing = facts.missing.filter((field) => requiredPetFields.includes(field));
  const parts = [
    kind === "single" &&
      `only one column, ${quote(names.join())}; columns are separated by , ; | or tabs`,
    absent.length > 0 && `${namedBy(absent)}, but the columns are ${excerpt(names.join(", "))}`,
    missing.length > 0 && `no column for ${missing.join(" and ")}`,
    unknown.length > 0 && kind !== "single" && unknownColumns(unknown),
    columns.every(({ name }, at) => name === `#${at + 1}`) && `the first row is ${places(columns)}`,
  ];
  return parts.filter((part) => part !== false).join("; ");
}

/** Returns the cells of a first row by their places, as `--map` takes them. */
const places = (columns: HeaderFacts["columns"]): string =>
  columns
    .slice(0, maxNamed)
    .map(({ title }, at) => `#${at + 1} ${quote(title)}`)
    .join(", ");

/** Returns which flags name these paths: `--map names "a", "b"; --key names "c"`. */
export function namedBy(paths: readonly Path[]): string {
  const byFlag = [...Map.groupBy(paths, ({ flag }) => flag)];
  const named = byFlag.map(([flag, those]) => [
    flag,
    those.map(({ name }) => quote(name)).join(", "),
  ]);
  return named.map((parts) => parts.join(" names ")).join("; ");
}

function unknownColumns(names: readonly string[]): string {
  const shown = names.slice(0, maxNamed).map((name) => {
    const nearest = closeMatch(name, newPetFieldNames);
    return quote(name) + (nearest === undefined ? "" : ` (did you mean "${nearest}"?)`);
  });
  const what = names.length === 1 ? "unknown column" : "unknown columns";
  return `${what} ${shown.join(", ")}${andMore(names.length - maxNamed)}; the columns are ${fieldList}`;
}

const andMore = (count: number): string => (count > 0 ? ` and ${formatCount(count)} more` : "");

/** Returns all that is wrong with a row, from its first field on. */
function rowMessage({ unknown, missing, wrong }: RowFacts) {
  const faults = [
    ...unknown.slice(0, maxUnknown).map((field, at) => {
      const known = at === 0 ? ` (${fieldList})` : "";
      return { field: excerpt(field), message: `is not a field of an animal${known}` };
    }),
    ...newPetFieldNames.flatMap((field) => {
      if (wrong.has(field)) return [{ field, message: wrongValue(field, wrong.get(field)) }];
      const isMissing = missing.includes(field) && requiredPetFields.includes(field);
      return isMissing ? [{ field, message: "is missing" }] : [];
    }),
  ];
  const messages = faults.map(({ field, message }, at) => (at > 0 ? `${field} ` : "") + message);
  return { ...faults[0], message: messages.join("; ") };
}

function wrongValue(field: NewPetField, value: unknown): string {
  const isText = typeof value === "string";
  if (field === "name")
    return isText ? brokenRule(field, value) : `must be a string, not ${show(value)}`;
  const advice = isText ? adviceOn(field, value) : "";
  return `${brokenRule(field, textOf(value) ?? "?")}, not ${show(value)}${advice}`;
}

function adviceOn(field: NewPetField, text: string): string {
  if (field === "categoryId" && roundedNumber.test(text)) return `: it ${roundedAdvice}`;
  const nearest = nearestStatus(field, text);
  return nearest === undefined ? "" : `; did you mean "${nearest}"?`;
}

const roundedAdvice = "was rounded by a spreadsheet; format the column as text, and enter it again";

const nearestStatus = (field: NewPetField, text: string): string | undefined =>
  field === "status" ? closeMatch(text.trim(), petStatuses) : undefined;

export const asCsv = ["--format", "csv"];
export const asJson = ["--format", "json"];

const placeholders = { name: "<name>", categoryId: "<id>", status: "<status>" } as const;

/** The names of fields in flags. */
export const flagNames = { name: "name", categoryId: "category", status: "status" } as const;

const defaultFlag = (field: NewPetField) => [`--${flagNames[field]}`, placeholders[field]];

/**
 * Returns the flags that map columns to `wanted` fields, where their names say so, and the one that ignores the others. A
 * required field gets a placeholder: a column that is merely left could add wrong animals.
 */
function mapFlags(
  columns: readonly string[],
  wanted: readonly NewPetField[],
  more: Flags = [],
): Flags {
  const chosen = guessByName(columns, wanted);
  let left = columns.length - chosen.size - more.length;
  const asked = wanted.filter((field) => requiredPetFields.includes(field) && !chosen.has(field));
  return [
    ...[...chosen].map(([field, column]) => ["--map", `${column}=${field}`]),
    ...asked.map((field) => {
      left -= 1;
      return left < 0 ? defaultFlag(field) : ["--map", `<column>=${field}`];
    }),
    ...more,
    ...(left > 0 ? [["--ignore-fields"]] : []),
  ];
}

function headerFlags(facts: HeaderFacts, { header = true, ignoreFields }: ReadOptions): Flags {
  const { columns, others, missing, absent, repeated, kind, titleLines } = facts;
  const before = [
    ...(titleLines > 0 ? [["--skip-lines", String(titleLines)]] : []),
    ...(kind === "data" ? [["--no-header"]] : []),
  ];
  if (kind === "quoted") return [asCsv];
  const twice = columns.findIndex(({ name }) => repeated.includes(name));
  const field = columns[twice]?.field;
  if (field !== undefined) return [...before, ["--map", `#${twice + 1}=${field}`]];
  // Another column for a field that is mapped to a wrong one would contradict it; and a single one may be several.
  if (absent.length > 0) return before;
  if (kind === "single" && !/^[\p{L}\p{N}_]+$/u.test(others.join())) return before;
  const hasPlaces = kind === "data" || !header;
  const names = hasPlaces ? columns.map((_column, at) => `#${at + 1}`) : others;
  // Of values only those of a status tell what they are.
  const status = columns.findIndex(({ title }) => asPetStatus(normalize(title)) !== undefined);
  const isStatus = hasPlaces && status >= 0 && missing.includes("status");
  const maps = mapFlags(names, missing, isStatus ? [["--map", `#${status + 1}=status`]] : []);
  return [...before, ...maps.filter(([flag]) => !ignoreFields || flag !== "--ignore-fields")];
}

/** Returns the flags that cure an input's rows all at once, as far as flags can. */
function rowFlags(facts: InputFacts): Flags {
  const { rows, unknown, missing, lastLacks, repeated, cures } = facts;
  const isColumn = (field: NewPetField): boolean => unknown.size > 0 && missing[field] === rows;
  const lacking = requiredPetFields.filter(
    // An animal made of the totals in a last row would be wrong.
    (field) => missing[field] > 0 && !isColumn(field) && !(rows > 2 && lastLacks.includes(field)),
  );
  return [
    ...[...cures].flat(),
    ...mapFlags([...unknown.keys()], newPetFieldNames.filter(isColumn)),
    ...newPetFieldNames.flatMap((field) => valueFlags(facts, field)),
    ...lacking.map(defaultFlag),
    ...(repeated > 0 ? [["--repeats", "<first|last>"]] : []),
  ];
}

const maxFlags = 8;

function valueFlags(facts: InputFacts, field: NewPetField): Flags {
  const words = wordsOf(facts, field).map(({ text }) => text);
  const shown = new Set([...words.slice(0, maxFlags), ...(words.length > 1 ? [anyOther] : [])]);
  return [...shown].map((text) => {
    const value = nearestStatus(field, text) ?? placeholders[field];
    return ["--value", `${flagNames[field]}:${text}=${value}`];
  });
}

/** Returns the words to translate of each field that has several, with how many rows have each. */
function countedWords(facts: InputFacts): string {
  const counted = newPetFieldNames.map((field) => {
    const words = wordsOf(facts, field).filter(({ text }) => text !== anyOther);
    const shown = words
      .slice(0, maxNamed)
      .map(({ text, count }) => `${quote(text)} (${formatCount(count)})`);
    const more = andMore(words.length - maxNamed);
    return words.length > 1 ? `; ${field} has ${shown.join(", ")}${more}` : "";
  });
  return counted.join("");
}

/** A longer flag, such as one with a path that a file made up, is not suggested. */
const maxFlagLength = 300;

/**
 * Returns the usage Failure of an input with invalid rows: what is wrong, and the flags to try; as a `refusal` too if
 * nothing may be sent. `next` returns the command that was given, with one more flag.
 */
export function invalidRows(
  facts: InputFacts,
  { name, path: file }: Pick<InputFile, "name" | "path">,
  options: ReadOptions & { readonly skipInvalid?: boolean },
  next?: (flag: string) => string,
  platform = "linux",
): { readonly failure?: Failure; readonly refusal?: Failure } {
  const { rows, invalid, listed, header } = facts;
  if (invalid === 0) return {};
  const { fatal, message = "" } = listed.at(-1) ?? {};
  const isSent = fatal === undefined && options.skipInvalid === true;
  const flags = [...(header ? headerFlags(header, options) : []), ...rowFlags(facts)];
  const shown = [...new Set(flags.map((flag) => shellCommand(flag, platform)))];
  const cures = shown.filter(({ length }) => length <= maxFlagLength);
  const hints = cures.length === 0 ? [] : [`Try it with: ${cures.join(" ")}`];
  if (fatal === undefined && !isSent && invalid < rows && next !== undefined)
    hints.push(`To send only the valid rows: ${next("--skip-invalid")}`);
  const count = invalid === 1 ? "1 row is invalid" : `${formatCount(invalid)} rows are invalid`;
  const what = fatal === "header" ? "invalid header" : count;
  const some = invalid > listed.length ? `; the first ${listed.length} are listed` : "";
  const text = `${what} in ${name}${isSent ? "" : "; nothing was sent"}${some}${countedWords(facts)}`;
  const details = {
    ...(file !== undefined && { file: path.resolve(file) }),
    details: listed.map(({ fault: _fault, fatal: _fatal, ...detail }) => detail),
  };
  const failure =
    fatal === "file"
      ? usageFailure(`${name} ${message}`, ...hints)
      : new Failure("usage", text, { ...details, hints });
  return isSent ? { failure } : { failure, refusal: failure };
}
