import { isInteger } from "../../core/int64.ts";
import { newPetFieldNames, type NewPetField } from "../../core/pet-fields.ts";
import type { Flags, HeaderFacts, InputRecord, InvalidRow, RowFacts } from "../types.ts";
import { normalize } from "./columns.ts";
import { textOf } from "./row.ts";

/** A text of a field that is no value of it, as it is first written, or `*` for all others, and how many rows have it. */
interface Word {
  readonly text: string;
  count: number;
}

/** What is not understood of an input yet, counted over all its rows. Errors tell it, and questions ask for it. */
export interface InputFacts {
  rows: number;
  invalid: number;
  /** The first invalid rows, and the one that ended the reading. */
  readonly listed: InvalidRow[];
  /** What the first rows have, or of a header that is not understood the rows around it. */
  sample: InputRecord["original"][];
  /** The header if it is not understood: nothing after it was read. */
  header?: HeaderFacts;
  /** The paths of JSON that no animal has, by how many rows have them. */
  readonly unknown: Map<string, number>;
  /** How many rows have no value for a field, optional ones too. */
  readonly missing: Record<NewPetField, number>;
  /** The texts that `--value` can translate, by themselves without regard to case. */
  readonly words: Readonly<Record<NewPetField, Map<string, Word>>>;
  /** The fields that the last row alone lacks, if category and status are among them: it may hold totals. */
  lastLacks: readonly NewPetField[];
  /** How many rows are invalid as they repeat a key. */
  repeated: number;
  /** The flags that cure what is wrong with the text. */
  readonly cures: Set<Flags>;
}

export const maxListed = 20;
const maxSample = 5;
/** More different ones are counted together: the memory must not grow with the rows. */
const maxDifferent = 1000;
const maxWordLength = 40;
const maxPathLength = 300;
/** What `--value` calls all texts that it does not name. */
export const anyOther = "*";

/** Returns the facts of an input without rows. */
export const noFacts = (): InputFacts => ({
  rows: 0,
  invalid: 0,
  listed: [],
  sample: [],
  unknown: new Map(),
  missing: { name: 0, categoryId: 0, status: 0 },
  words: { name: new Map(), categoryId: new Map(), status: new Map() },
  lastLacks: [],
  repeated: 0,
  cures: new Set(),
});

/** Adds the next record of an input to its facts. */
export function addFacts(facts: InputFacts, { read, original }: InputRecord): void {
  facts.rows += 1;
  facts.lastLacks = [];
  if (facts.sample.length < maxSample) facts.sample.push(original);
  if ("pet" in read) {
    if (read.pet.status === undefined) facts.missing.status += 1;
    return;
  }
  facts.invalid += 1;
  const { fault, fatal } = read;
  if (facts.listed.length < maxListed) facts.listed.push(read);
  else if (fatal !== undefined) facts.listed[maxListed - 1] = read;
  if ("columns" in fault) {
    facts.header = fault;
    facts.sample = fault.sample.slice(0, maxSample);
  } else if ("wrong" in fault) addRow(facts, fault);
  else if (fault.cure !== undefined && facts.cures.size < maxDifferent) facts.cures.add(fault.cure);
}

/** The rows whose key an earlier row has: how many, and the first of them. */
export interface RepeatedKeys {
  readonly count: number;
  readonly first: readonly { readonly line: number; readonly keptLine: number }[];
}

export const repeatedKey = (keptLine: number): string => `repeats that of line ${keptLine}`;

/** Makes rows invalid that repeat a key. */
export function addRepeatedKeys(facts: InputFacts, { count, first }: RepeatedKeys): void {
  facts.invalid += count;
  facts.repeated = count;
  // A row that ended the reading stays the last.
  if (facts.listed.at(-1)?.fatal !== undefined) return;
  for (const { line, keptLine } of first) {
    const message = repeatedKey(keptLine);
    facts.listed.push({ line, field: "key", message, fault: { message } });
  }
  facts.listed.sort((one, other) => one.line - other.line).splice(maxListed);
}

function addRow(facts: InputFacts, { unknown, missing, wrong }: RowFacts): void {
  for (const path of unknown) {
    const count = facts.unknown.get(path);
    if (path.length < maxPathLength && (count || facts.unknown.size < maxDifferent))
      facts.unknown.set(path, (count ?? 0) + 1);
  }
  const isBlank = (field: NewPetField): boolean => textOf(wrong.get(field))?.trim() === "";
  const lacking = newPetFieldNames.filter(
    (field) => missing.includes(field) || (wrong.has(field) && isBlank(field)),
  );
  for (const field of lacking) facts.missing[field] += 1;
  if (lacking.includes("categoryId") && lacking.includes("status"))
    facts.lastLacks = lacking.filter((field) => facts.missing[field] === 1);
  for (const [field, value] of wrong) if (!lacking.includes(field)) addWord(facts, field, value);
}

/** Matches a long number as a spreadsheet saves it; the digits that it left out are lost. */
export const roundedNumber = /^-?\d(?:[.,]\d+)?E[+]\d+$/i;

function addWord({ words }: InputFacts, field: NewPetField, value: unknown): void {
  const text = textOf(value)?.trim();
  if (text === undefined) return;
  // A number that has lost digits, or has too many, must be corrected.
  if (field === "categoryId" && (isInteger(text) || roundedNumber.test(text))) return;
  const known = words[field];
  const isKept = known.has(normalize(text)) || known.size < maxDifferent;
  const key = isKept && text.length <= maxWordLength ? normalize(text) : anyOther;
  const word = known.get(key) ?? { text: key === anyOther ? key : text, count: 0 };
  word.count += 1;
  known.set(key, word);
}

/** Returns the words of a field, the most frequent first, all others last. */
export const wordsOf = ({ words }: InputFacts, field: NewPetField): readonly Word[] =>
  [...words[field].values()].sort(
    (one, { text, count }) =>
      Number(one.text === anyOther) - Number(text === anyOther) || count - one.count,
  );
