import { isInteger } from "../../core/int64.ts";
import { isRecord } from "../../core/json/parse.ts";
import { newPetFieldNames, type NewPetField, requiredPetFields } from "../../core/pet-fields.ts";
import type { Stage } from "../database/stage.ts";
import type {
  ColumnFacts,
  Flags,
  FoundItems,
  HeaderFacts,
  InputRecord,
  InvalidRow,
  Path,
  Reading,
  ReadOptions,
  Row,
  RowFacts,
  Word,
} from "../types.ts";
import { isFieldName, normalize, quote } from "./columns.ts";
import { addValues, anyOther, isValid, namedIn, textOf } from "./row.ts";

/** What is wrong with an invalid row, before all else: what a user decides about all such rows at once. */
export type InvalidKind = "heading" | NewPetField | "wrong" | "key" | "repeated";

/** What is not understood of an input yet, counted over all its rows. Errors tell it, and questions ask for it. */
export class InputFacts {
  rows = 0;
  invalid = 0;
  /** The first invalid rows, and the one that ended the reading. */
  readonly listed: InvalidRow[] = [];
  /** The first rows of JSON that lack fields, or have unknown ones, and are right in all else. */
  readonly lacking: InvalidRow[] = [];
  /** How many invalid rows there are of a kind, and the first of them. */
  readonly kinds = new Map<InvalidKind, { count: number; readonly first: InvalidRow[] }>();
  /** What the first rows have, or of a header that is not understood the rows around it. */
  sample: InputRecord["original"][] = [];
  /** The header if it is not understood: the rows after it were only looked at. */
  header?: HeaderFacts;
  /** What is in the columns of such a header, or at the paths of JSON that no animal has, by their names. */
  readonly columns = new Map<string, ColumnFacts>();
  /** How many rows have fields at all, and how many of these have no value for one, headings and totals apart. */
  read = 0;
  readonly missing = { name: 0, categoryId: 0, status: 0 };
  /** How many of these have a name and a category, right or not. */
  whole = 0;
  /** The texts that `--value` can translate, by themselves without regard to case. */
  readonly words = {
    name: new Map<string, Word>(),
    categoryId: new Map<string, Word>(),
    status: new Map<string, Word>(),
  };
  /** The flags that cure what is wrong with the text. */
  readonly cures = new Set<Flags>();
  /** What bytes that are not UTF-8 may be, the most likely first. */
  readings: readonly Reading[] = [];
  /** Where JSON that is no animals itself may have them. */
  arrays: readonly FoundItems[] = [];
  /** The path of arrays in all rows of JSON that may have the animals, those of an owner; and what jq writes them with. */
  holder: { readonly name: string; readonly filter: string } | undefined;
  /** The paths of `--map` and `--key` that no row of JSON has. */
  absent: readonly Path[] = [];
}

export const maxListed = 20;
export const maxSample = 5;
const maxFirst = 5;
/** More different ones are counted together: the memory must not grow with the rows. */
const maxDifferent = 1000;
const maxWordLength = 40;
const maxPathLength = 300;
/** So many columns have their words counted. */
export const maxCounted = 100;

/** Adds the next record of an input to its facts. */
export function addFacts(facts: InputFacts, { read, original }: InputRecord): void {
  facts.rows += 1;
  if (facts.sample.length < maxSample) facts.sample.push(original);
  if ("pet" in read) {
    facts.read += 1;
    facts.whole += 1;
    if (read.pet.status === undefined) facts.missing.status += 1;
    return;
  }
  facts.invalid += 1;
  const { fault, fatal } = read;
  const isLacking = typeof original === "string" && "wrong" in fault && fault.wrong.size === 0;
  const list = isLacking ? facts.lacking : facts.listed;
  if (list.length < maxListed) list.push(read);
  else if (fatal !== undefined) list[maxListed - 1] = read;
  if ("columns" in fault) {
    facts.header = fault;
    facts.sample = [...fault.sample];
    for (const column of fault.survey) facts.columns.set(column.name, column);
  } else if ("wrong" in fault) addRow(facts, fault, read);
  else {
    addKind(facts, read.field === "key" ? "key" : "wrong", read);
    if (fault.cure?.length && facts.cures.size < maxDifferent) facts.cures.add(fault.cure);
  }
}

/** Counts an invalid row of a kind. */
function addKind({ kinds }: InputFacts, kind: InvalidKind, row: InvalidRow): void {
  const known = kinds.get(kind) ?? { count: 0, first: [] };
  known.count += 1;
  if (known.first.length < maxFirst) known.first.push(row);
  kinds.set(kind, known);
}

export const repeatedKey = (key: string | undefined, keptLine: number): string =>
  `${quote(key?.trim() ?? "")} repeats that of line ${keptLine}`;

/** Makes rows invalid that repeat a key; `found` are the first of them. */
export function addRepeatedKeys(
  facts: InputFacts,
  { count, first }: ReturnType<Stage["end"]>,
  found: readonly Row[],
): void {
  if (count === 0) return;
  facts.invalid += count;
  const rows = first.map(({ line, keptLine }, at): InvalidRow => {
    const { key, row, pet } = found[at] ?? {};
    const message = repeatedKey(key, keptLine);
    return { line, row, name: pet?.name, field: "key", message, fault: { message } };
  });
  facts.kinds.set("repeated", { count, first: rows.slice(0, maxFirst) });
  // A row that ended the reading stays the last.
  if (facts.listed.at(-1)?.fatal !== undefined) return;
  facts.listed.push(...rows);
  facts.listed.sort((one, other) => one.line - other.line).splice(maxListed);
}

function addRow(facts: InputFacts, fault: RowFacts, row: InvalidRow): void {
  const { unknown, missing, wrong, isLone } = fault;
  if (isLone) return addKind(facts, "heading", row);
  facts.read += 1;
  for (const [path, value] of unknown) {
    const known = facts.columns.get(path);
    if (known === undefined && (path.length > maxPathLength || facts.columns.size >= maxDifferent))
      continue;
    const { line, textLine } = row;
    const column = known ?? newColumn(path, path, undefined, { line, textLine });
    facts.columns.set(path, column);
    if (Array.isArray(value) && isAnimal(value[0])) column.holdsRows = true;
    addValue(column, textOf(value) ?? "{…}", facts.columns.size <= maxCounted);
  }
  const isBlank = (field: NewPetField): boolean => textOf(wrong.get(field))?.trim() === "";
  const lacking = newPetFieldNames.filter(
    (field) => missing.includes(field) || (wrong.has(field) && isBlank(field)),
  );
  for (const field of lacking) facts.missing[field] += 1;
  for (const [field, value] of wrong)
    if (!lacking.includes(field)) addWord(facts.words[field], field, value);
  const lacks = requiredPetFields.find((field) => lacking.includes(field));
  if (lacks === undefined) facts.whole += 1;
  addKind(facts, lacks ?? "wrong", row);
}

/** Returns whether an element of an array may be an animal: it has a name, and more. */
const isAnimal = (element: unknown): boolean =>
  isRecord(element) && Object.keys(element).length > 1 && Object.keys(element).some(isFieldName);

/** Returns the facts of a column of which nothing has been read. */
export const newColumn = (
  name: string,
  title: string,
  field?: NewPetField,
  place: ColumnFacts["place"] = { line: 0 },
): ColumnFacts => ({ name, title, field, place, count: 0, sample: [], words: new Map() });

const maxColumnSample = 3;

/** Adds what a row has in a column to its facts. */
export function addValue(column: ColumnFacts, value: string, isCounted = true): void {
  const text = value.trim();
  if (text === "") return;
  column.count += 1;
  if (column.sample.length < maxColumnSample && !column.sample.includes(text))
    column.sample.push(text.slice(0, maxPathLength));
  if (isCounted) addWord(column.words, undefined, text);
}

/** Matches a long number as a spreadsheet saves it; the digits that it left out are lost. */
export const roundedNumber = /^-?\d(?:[.,]\d+)?E[+]\d+$/i;

/** Returns whether no `--value` cures a category: a number that has lost digits, or has too many, must be corrected. */
const isWrongNumber = (text: string): boolean => isInteger(text) || roundedNumber.test(text);

function addWord(words: Map<string, Word>, field: NewPetField | undefined, value: unknown): void {
  const text = textOf(value)?.trim();
  if (text === undefined || (field === "categoryId" && isWrongNumber(text))) return;
  const isKept = words.has(normalize(text)) || words.size < maxDifferent;
  const key = isKept && text.length <= maxWordLength ? normalize(text) : anyOther;
  const word = words.get(key) ?? { text: key === anyOther ? key : text, count: 0 };
  word.count += 1;
  words.set(key, word);
}

/** Returns the words of a field or a column, the most frequent first, all others last; `--value` cannot name a `*` at an end. */
export const sortedWords = (words: ReadonlyMap<string, Word>): readonly Word[] =>
  [...words.values()]
    .filter(({ text }) => text === anyOther || !text.endsWith("*"))
    .sort(
      (one, { text, count }) =>
        Number(one.text === anyOther) - Number(text === anyOther) || count - one.count,
    );

/** Returns the words of a column that `--value` must still translate if it is the one of a field. */
export function columnWords(
  { words }: ColumnFacts,
  field: NewPetField,
  { value = [] }: ReadOptions,
): readonly Word[] {
  const known = addValues(new Map(), value).get(field);
  return sortedWords(words).filter(
    ({ text }) =>
      text === anyOther || !(isValid(field, text) || isWrongNumber(text) || namedIn(known, text)),
  );
}
