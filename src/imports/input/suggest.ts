import path from "node:path";
import { Failure, usageFailure } from "../../core/errors.ts";
import { formatCount, plural } from "../../core/format.ts";
import {
  asPetStatus,
  newPetFieldNames,
  type NewPetField,
  requiredPetFields,
} from "../../core/pet-fields.ts";
import { shellCommand } from "../../core/shell-quote.ts";
import type { ColumnFacts, Flags, HeaderFacts, ReadOptions, Word } from "../types.ts";
import { excerpt, guessByName, isHeadless, normalize, quote } from "./columns.ts";
import { columnWords, type InputFacts, sortedWords } from "./facts.ts";
import { invalidDetails, listOf, namedBy } from "./fault-words.ts";
import type { InputFile } from "./open.ts";
import { anyOther } from "./row.ts";

// What would cure an input: flags. What only the user knows is a word in angle brackets.

export const asCsv = ["--format", "csv"];
export const asJson = ["--format", "json"];

const placeholders = { name: "<name>", categoryId: "<id>", status: "<status>" } as const;

/** The names of fields in flags. */
export const flagNames = { name: "name", categoryId: "category", status: "status" } as const;

const defaultFlag = (field: NewPetField) => [`--${flagNames[field]}`, placeholders[field]];

/** Flags that would help, and when. */
interface Cure {
  readonly when: string;
  readonly flags: Flags;
}

const tryIt = "Try it with";

/**
 * Returns the flags that map columns to `wanted` fields, where their names say so, with the words in them, and the one
 * that ignores the others. A required field gets a placeholder: a column that is merely left could add wrong animals. For
 * a category, which may be in no column, there is another way if all animals may have the same one (`isOne`).
 */
function mapCures(
  columns: readonly ColumnFacts[],
  wanted: readonly NewPetField[],
  options: ReadOptions,
  { before, isOne }: { readonly before: Flags; readonly isOne: boolean },
): readonly Cure[] {
  const open = columns.filter(({ field }) => field === undefined);
  const names = open.map(({ name }) => name);
  const chosen = new Map([...guessByName(names, wanted)].map(([field, name]) => [name, field]));
  const known = [...chosen].map(([name, field]) => ["--map", `${name}=${field}`]);
  // Of values only those of a status tell what they are.
  const hasValues = isHeadless(columns) && wanted.includes("status");
  const status = hasValues ? open.find(hasStatus)?.name : undefined;
  if (status !== undefined) chosen.set(status, "status");
  const last = status === undefined ? [] : [["--map", `${status}=status`]];
  const words = columns.flatMap((column) => {
    const field = column.field ?? chosen.get(column.name);
    const isTranslated = field !== undefined && field !== "name";
    return isTranslated ? valueFlags(columnWords(column, field, options), field) : [];
  });
  const mapped = new Set(chosen.values());
  const asked = requiredPetFields.filter((field) => wanted.includes(field) && !mapped.has(field));
  const build = (category: "column" | "default"): Flags => {
    let left = open.length - chosen.size;
    const maps = asked.flatMap((field) => {
      const isDefault = left === 0 || (field === "categoryId" && category === "default");
      if (isDefault) return isOne || field === "name" ? [defaultFlag(field)] : [];
      left -= 1;
      return [["--map", `<column>=${field}`]];
    });
    const ignore = left > 0 && !options.ignoreFields ? [["--ignore-fields"]] : [];
    return [...before, ...known, ...maps, ...last, ...ignore, ...words];
  };
  const cures = [{ when: tryIt, flags: build("column") }];
  const isEither = asked.includes("categoryId") && open.length - chosen.size >= asked.length;
  if (isEither && isOne)
    cures.push({ when: "If all have the same category", flags: build("default") });
  return cures;
}

/** Returns whether a column has a status of an animal as it is. */
export const hasStatus = ({ sample }: ColumnFacts): boolean =>
  sample.some((text) => asPetStatus(normalize(text)) !== undefined);

function headerCures(facts: HeaderFacts, options: ReadOptions): readonly Cure[] {
  const { header = true } = options;
  const { columns, others, missing, absent, repeated, kind, titleLines, headings, survey } = facts;
  if (kind === "quoted") return [{ when: tryIt, flags: [asCsv] }];
  const skip = titleLines > 0 ? [["--skip-lines", String(titleLines)]] : [];
  const twice = columns.find(({ name }) => repeated.includes(name))?.field;
  if (twice !== undefined && absent.length === 0)
    return [{ when: tryIt, flags: [...skip, ["--map", `<column>=${twice}`]] }];
  // Another column for a field that is mapped to a wrong one would contradict it; and a single one may be several.
  const isMaybeSeveral = kind === "single" && !/^[\p{L}\p{N}_]+$/u.test(others.join());
  if (absent.length > 0 || isMaybeSeveral) return [{ when: tryIt, flags: skip }];
  const isOne = headings.length === 0;
  const places = survey.map((column, at) => ({ ...column, name: `#${at + 1}`, field: undefined }));
  const asData = { isOne, before: [...skip, ...(header ? [["--no-header"]] : [])] };
  if (kind === "data") return mapCures(survey, missing, options, asData);
  const mappable = new Set(others);
  // `--name` is for rows without one: it does not take the place of a column of names.
  const isOpen = !missing.includes("name") && columns.every(({ field }) => field !== "name");
  const named = isOpen ? guessByName(others, ["name"]).keys() : [];
  const asHeader = mapCures(
    header ? survey.filter(({ name, field }) => field ?? mappable.has(name)) : survey,
    [...named, ...missing],
    options,
    { isOne, before: skip },
  );
  if (kind !== "unsure" && kind !== "single") return asHeader;
  const [data] = mapCures(places, missing, options, asData);
  const flags = data?.flags ?? [];
  return asHeader.toSpliced(1, 0, { when: "If the first row is an animal", flags });
}

/** Returns whether the rows may have their values of a field in one of several columns. */
const isColumn = ({ columns, missing, read }: InputFacts, field: NewPetField): boolean =>
  columns.size > 0 && missing[field] === read;

/**
 * Returns the fields for which one value for all rows without one cures them: one for headings, for rows that say nothing
 * of an animal, or whose category stands in the first of several, would add wrong animals.
 */
export function defaultable(facts: InputFacts): readonly NewPetField[] {
  const { read, columns, missing, kinds, whole } = facts;
  const isNothing = columns.size === 0 && missing.name === read && missing.categoryId === read;
  return requiredPetFields.filter((field) => {
    if (missing[field] === 0 || isColumn(facts, field) || isNothing) return false;
    if (missing[field] < read) return field === "name" && whole > 0 && missing.categoryId === 0;
    return field === "name" || !kinds.has("heading");
  });
}

/** Returns the flags that cure an input's rows all at once, as far as flags can. */
function rowCures(facts: InputFacts, options: ReadOptions): readonly Cure[] {
  const { columns, cures, kinds, holder } = facts;
  const flags = [
    ...[...cures].flat(),
    ...newPetFieldNames.flatMap((field) => valueFlags(sortedWords(facts.words[field]), field)),
    ...defaultable(facts).map(defaultFlag),
    ...(kinds.has("repeated") ? [["--repeats", "<first|last>"]] : []),
  ];
  if (columns.size === 0) return [{ when: tryIt, flags }];
  const isOne = !kinds.has("heading") && holder === undefined;
  const wanted = newPetFieldNames.filter((field) => isColumn(facts, field));
  return mapCures([...columns.values()], wanted, options, { before: flags, isOne });
}

const maxFlags = 8;

/** Returns the flags that translate words; those that differ in a date alone together. */
function valueFlags(words: readonly Word[], field: NewPetField): Flags {
  const texts = [
    ...new Set(words.flatMap(({ text }) => (field === "status" ? stemsOf(text) : text))),
  ];
  const shown = new Set([...texts.slice(0, maxFlags), ...(texts.length > 1 ? [anyOther] : [])]);
  return [...shown].map((text) => [
    "--value",
    `${flagNames[field]}:${text}=${placeholders[field]}`,
  ]);
}

/**
 * Returns what `--value` calls a status that ends with a date, whatever that is: `Adopted *`, or of a date alone `20*`. One
 * that has its day first stays as it is: what it begins with may begin other words.
 */
export function stemsOf(text: string): string {
  const [, before = "", century = ""] = dated.exec(text) ?? [];
  return before || century ? `${before || century}*` : text;
}

/** Returns whether a status ends with a date. */
export const isDated = (text: string): boolean => dated.test(text);

const dated =
  /^(.*?)(?<![\d./-])(?:(\d\d)\d\d([./-])\d{1,2}\3|\d{1,2}([./-])\d{1,2}\4)\d{1,4}(?:[ T][\d:.]+(?: ?[ap]m|Z)?)?$/i;

/** Returns the words to translate of each field that has several, with how many rows have each. */
function countedWords(facts: InputFacts): readonly string[] {
  return newPetFieldNames.flatMap((field) => {
    const all = sortedWords(facts.words[field]);
    const words = all.filter(({ text }) => text !== anyOther);
    if (words.length < 2) return [];
    const counted = words.map(({ text, count }) => `${quote(text)} (${formatCount(count)})`);
    return `${field} has ${listOf(counted)}${all.length > words.length ? ", and others" : ""}`;
  });
}

/** A longer flag, such as one with a path that a file made up, is not suggested. */
const maxFlagLength = 300;

/** Returns the flags that read the array of JSON at `items`. */
export const itemsFlags = ({ cures }: InputFacts, items: string): Flags => [
  ...[...cures].flat(),
  ["--items", items],
];

/** Returns what would cure an input, in the order in which it is told. */
function curesOf(facts: InputFacts, options: ReadOptions): readonly Cure[] {
  const { header, readings, arrays } = facts;
  const choices =
    readings.length > 0
      ? readings.map(({ label }) => [["--encoding", label]])
      : arrays.slice(0, maxArrays).map(({ items }) => itemsFlags(facts, items));
  if (facts.listed.at(-1)?.fatal === "file" && choices.length === 0)
    return [{ when: tryIt, flags: [...facts.cures].flat() }];
  if (choices.length > 0)
    return choices.map((flags, at) => ({ when: at === 0 ? tryIt : "Or", flags }));
  return header === undefined ? rowCures(facts, options) : headerCures(header, options);
}

const maxArrays = 4;

interface GivenOptions extends ReadOptions {
  readonly skipInvalid?: boolean;
  /** What a user has answered, which is not in the command that was given. */
  readonly answers?: Flags;
}

/**
 * Returns the usage Failure of an input with invalid rows: what is wrong, and the flags to try; as a `refusal` too if
 * nothing may be sent. `next` returns the command that was given, with one more flag.
 */
export function invalidRows(
  facts: InputFacts,
  { name, path: file }: Pick<InputFile, "name" | "path">,
  options: GivenOptions,
  next?: (flag: string) => string,
  platform = "linux",
): { readonly failure?: Failure; readonly refusal?: Failure } {
  const { rows, invalid, listed, arrays, absent, columns } = facts;
  if (absent.length > 0) {
    const what = namedBy(absent, [...columns.keys()]);
    const failure = usageFailure(`${what}, but no row has it; nothing was sent`);
    return { failure, refusal: failure };
  }
  if (invalid === 0) return {};
  const { fatal, message = "" } = listed.at(-1) ?? {};
  const isSent = fatal === undefined && options.skipInvalid === true;
  const hints = hintsOf(facts, options, platform);
  if (fatal === undefined && !isSent && invalid < rows && next !== undefined)
    hints.push(`To send only the valid rows: ${next("--skip-invalid")}`);
  const more = {
    ...(file !== undefined && { file: path.resolve(file) }),
    ...invalidDetails(facts),
    hints,
  };
  const inside = arrays.map(
    (each) => `--items ${excerpt(each.items)} (${plural(each.rows, "row")})`,
  );
  const isInside = inside.length > 0;
  const has = fatal === "file" ? `${message}; it has` : "has its rows inside:";
  const failure =
    isInside || fatal === "file"
      ? usageFailure(`${name} ${isInside ? `${has} ${listOf(inside)}` : message}`, ...hints)
      : new Failure("usage", rowsMessage(facts, name, isSent), more);
  return isSent ? { failure } : { failure, refusal: failure };
}

/** Returns whether a command line can have a text: no NUL, and no half of a character. */
const isTypable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

/** Returns what to try: flags, or another program. */
function hintsOf(facts: InputFacts, options: GivenOptions, platform: string): string[] {
  const { listed, readings, holder } = facts;
  const { answers = [] } = options;
  const hints = curesOf(facts, options).flatMap(({ when, flags }) => {
    const typable = flags.filter((flag) => flag.every(isTypable));
    const all = typable.length > 0 ? [...answers, ...typable] : [];
    const shown = new Set(all.map((flag) => shellCommand(flag, platform)));
    const cures = [...shown].filter(({ length }) => length <= maxFlagLength);
    return cures.length === 0 ? [] : [`${when}: ${cures.join(" ")}`];
  });
  if (holder !== undefined)
    hints.push(
      `If its elements are the animals: ${shellCommand(["jq", "-c", holder.filter], platform)}`,
    );
  if (listed.at(-1)?.isEncoding && readings.length === 0)
    hints.push("Save it as UTF-8 in the program that wrote it: no encoding that pets knows fits.");
  return hints;
}

/** Returns how many rows are invalid, and what else is seen of them all. */
function rowsMessage(facts: InputFacts, name: string, isSent: boolean): string {
  const { invalid, listed, readings, holder } = facts;
  const count = invalid === 1 ? "1 row is invalid" : `${formatCount(invalid)} rows are invalid`;
  const what = listed.at(-1)?.fatal === "header" ? "invalid header" : count;
  const seen = readings.map(({ label, word }) => `${label}: ${word}`).join(", ");
  return [
    `${what} in ${name}`,
    ...(isSent ? [] : ["nothing was sent"]),
    ...(seen === "" ? [] : [`it may be ${seen}`]),
    ...(holder === undefined ? [] : [`each row has an array inside, ${quote(holder.name)}`]),
    ...countedWords(facts),
  ].join("; ");
}
