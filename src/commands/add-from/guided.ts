import { petStatuses } from "../../core/enums.ts";
import { formatCount, formatPlace, plural } from "../../core/format.ts";
import { type NewPetField, newPetFieldNames, problemInField } from "../../core/pet-fields.ts";
import { closeMatch } from "../../core/strings.ts";
import { guessByName, guessKey } from "../../imports/input/columns.ts";
import {
  columnWords,
  type InputFacts,
  type InvalidKind,
  sortedWords,
} from "../../imports/input/facts.ts";
import { anyOther } from "../../imports/input/row.ts";
import {
  asCsv,
  defaultable,
  flagNames,
  hasStatus,
  isDated,
  itemsFlags,
  stemsOf,
} from "../../imports/input/suggest.ts";
import type { ColumnFacts, Flags, Word } from "../../imports/types.ts";
import { askedStore } from "../imports/asked-store.ts";
import { argvFor, confirm, confirmSend, flagsBeyond, type Guide } from "./confirm-send.ts";
import { onOneLine, showSample } from "./display/sample.ts";
import { type ImportJob, openJob } from "./job.ts";
import { skipInvalid, withAnswer } from "./mapping.ts";

// Questions are another way to write a mapping: each answer is a flag that --mapping reads.

/** Thrown where the user has no answer: nothing is to be sent. */
class Stopped extends Error {}

/**
 * Asks until the rows of a file are understood, shows the first animals, and asks before anything is sent. Returns the
 * job to go on with: the same if there is no question; undefined if nothing is to be sent.
 */
export async function askAbout(first: ImportJob): Promise<ImportJob | undefined> {
  const { context, options: given } = first;
  const asked = new Set<Question>();
  if (nextQuestion(first, asked) === undefined) return first;
  let job: Guide | undefined;
  try {
    const storeId = given.dryRun ? undefined : await tryStore(first);
    const prompts = await context.stdin.prompts(context.signal);
    job = Object.assign(first, { prompts });
    await context.note(`Not all of ${job.source.name} is understood yet.`);
    for (let isShown = false; ;) {
      isShown ||= await showSample(job);
      const question = nextQuestion(job, asked);
      if (question === undefined) break;
      asked.add(question);
      const options = withAnswer(job.options, [...sheetOf(job), ...(await question[1](job))]);
      job[Symbol.dispose]();
      const argv = argvFor(context.argv, options, given);
      const answers = flagsBeyond(options, given);
      job = Object.assign(await openJob(context, options, argv, answers), { prompts });
    }
    return job.refusal === undefined ? await confirmSend(job, given, storeId) : job;
  } catch (error) {
    if (error instanceof Stopped) return job;
    job?.[Symbol.dispose]();
    throw error;
  }
}

/** Returns the flag for the sheet that is read of several: next time another may be the first. */
const sheetOf = ({ source: { sheet, otherSheets } }: Guide): Flags =>
  sheet === undefined || otherSheets.length === 0 ? [] : [["--sheet", sheet]];

/** Sends one request: a wrong key, or no store, is known before anything is answered. Returns the store's id. */
async function tryStore({ context, abort }: ImportJob): Promise<string | undefined> {
  const { signal, sendSignal } = abort;
  const connection = await context.service.connection();
  return (await askedStore(context, connection, { signal, sendSignal })).ask();
}

const noneOfThese = "None of these: stop here";

/** Whether a subject is not understood, and what is asked about it. */
type Question = readonly [
  isOpen: (facts: InputFacts) => unknown,
  ask: (job: Guide) => Promise<Flags>,
];

/** What may keep a file from being read, in the order in which it is asked about. */
const fileQuestions: readonly Question[] = [
  [({ readings }) => readings.length, askEncoding],
  [({ arrays }) => arrays.length, askItems],
  [({ cures }) => cures.size, askCure],
  [(facts) => absentIn(facts).length, askRenamed],
];

const rowQuestions: readonly Question[] = [
  [({ header }) => header?.titleLines, skipTitles],
  [({ header }) => header?.kind === "quoted", async () => [asCsv]],
  [({ header, columns }) => (header ? header.kind !== "single" : columns.size), askColumns],
  [({ words }) => words.categoryId.size + words.status.size, askAllWords],
  [areSomeRight, askKinds],
];

/** Returns the first question that is open and was not asked; none where nothing is refused. */
function nextQuestion({ facts, refusal }: ImportJob, asked: ReadonlySet<Question>) {
  const { fatal = "header" } = facts.listed.at(-1) ?? {};
  const all = [...fileQuestions, ...(fatal === "header" ? rowQuestions : [])];
  const open = all.find((each) => !asked.has(each) && each[0](facts));
  // Other kinds of invalid rows are asked about only where something else was.
  const isAsked =
    asked.size > 0 || facts.words.name.size > 0 || askedKinds.some((kind) => facts.kinds.has(kind));
  return refusal === undefined || (open?.[1] === askKinds && !isAsked) ? undefined : open;
}

/** Invalid rows of these kinds are asked about for their own sake. */
const askedKinds = ["name", "categoryId", "heading", "repeated"] as const;

/** Returns whether some rows are valid, or one answer may make all so. */
function areSomeRight({ header, invalid, rows, missing, read }: InputFacts): boolean {
  return !header && (invalid < rows || missing.name === read || missing.categoryId === read);
}

async function skipTitles({ facts }: Guide): Promise<Flags> {
  return [["--skip-lines", String(facts.header?.titleLines)]];
}

function askEncoding(job: Guide): Promise<Flags> {
  const { readings } = job.facts;
  const choices = readings.map(({ label, word }) => {
    return { name: `${label}: ${word}`, value: [["--encoding", label]] };
  });
  const [first] = readings;
  if (first === undefined || readings.length > 1)
    return askFlags(job, "The text is not UTF-8. How does this word read right?", choices);
  const yes = { name: "Yes", value: [["--encoding", first.label]] };
  const encoding = first.label === "latin1" ? "Western European (latin1)" : first.label;
  const question = `The text is not UTF-8. Read it as ${encoding}? It then says: ${first.word}`;
  return askFlags(job, question, [yes], yes.value);
}

/** Asks which array has the animals, showing the first row of each. */
function askItems(job: Guide): Promise<Flags> {
  const { facts, context } = job;
  const choices = facts.arrays.slice(0, 10).map(({ items, rows, first }) => ({
    name: onOneLine(context, `${items} (${plural(rows, "row")}): ${first}`),
    value: itemsFlags(facts, items),
  }));
  return askFlags(job, "Where are the animals?", choices);
}

/** Asks which flags are right; none may be. */
async function askFlags(
  { prompts }: Guide,
  question: string,
  choices: readonly { readonly name: string; readonly value: Flags }[],
  offered: Flags | null = null,
): Promise<Flags> {
  const all = [...choices, { name: noneOfThese, value: null }];
  const flags = await prompts.select<Flags | null>(question, all, offered);
  if (flags === null) throw new Stopped();
  return flags;
}

async function askCure(job: Guide): Promise<Flags> {
  const [flags = []] = job.facts.cures;
  const question = cureQuestions[flags.flat().join(" ")];
  if (await confirm(job, question ?? `Read it with ${flags.flat().join(" ")}?`)) return flags;
  throw new Stopped();
}

/** What is asked about flags that cure a text. */
const cureQuestions: Readonly<Record<string, string>> = {
  "--format csv": "Its quotes or backslashes are those of CSV. Read it as CSV?",
  "--format json": "It is JSON, but not one value per line. Read it as JSON?",
  "--format xlsx": "It is an Excel workbook, not text. Read it as a workbook?",
  "--encoding utf-8": "It is UTF-8 text, not in the encoding that was given. Read it as UTF-8?",
  "--encoding utf-16le": "It is UTF-16 text, not UTF-8. Read it as UTF-16?",
  "--encoding utf-16be": "It is UTF-16 text, not UTF-8. Read it as UTF-16?",
  "--ignore-fields": "Some rows have values in columns without a name. Ignore these values?",
};

async function askAllWords(job: Guide): Promise<Flags> {
  const { categoryId, status } = job.facts.words;
  const flags = await askWords(job, "categoryId", sortedWords(categoryId));
  return [...flags, ...(await askWords(job, "status", sortedWords(status)))];
}

const absentIn = ({ absent, header }: InputFacts) => [...absent, ...(header?.absent ?? [])];

/** Asks for the columns that are not there any more, each alone. */
async function askRenamed(job: Guide): Promise<Flags> {
  const flags: Flags[number][] = [];
  for (const { flag, name, field } of absentIn(job.facts)) {
    const open = [...job.facts.columns.values()].filter(isOpenFor(field));
    const names = open.map((each) => each.name);
    const what = field === undefined ? "key" : flagNames[field];
    const question = `There is no column "${name}" any more. Which one is the ${what} now?`;
    const nearest = open[names.indexOf(closeMatch(name, names) ?? "")];
    const chosen = await askColumn(job, question, open, nearest, noneOfThese);
    if (chosen === null) throw new Stopped();
    flags.push([flag, field === undefined ? chosen.name : `${chosen.name}=${field}`]);
  }
  return flags;
}

const isOpenFor =
  (wanted: NewPetField | undefined) =>
  ({ field }: ColumnFacts) =>
    field === undefined || field === wanted;

/** Asks which of these columns it is, showing some of what is in them; null for the `other` choice. */
async function askColumn(
  { context, prompts }: Guide,
  question: string,
  columns: readonly ColumnFacts[],
  guess: ColumnFacts | undefined,
  other: string,
): Promise<ColumnFacts | null> {
  if (columns.length === 0) return null;
  const choices = columns.map((value) => ({
    name: onOneLine(context, `${value.name}: ${value.sample.join(", ")}`),
    value,
  }));
  const all = [...choices, { name: other, value: null }];
  return prompts.select<ColumnFacts | null>(question, all, guess ?? null);
}

/** Asks which columns are for which fields, what their words mean, and which one identifies an animal. */
async function askColumns(job: Guide): Promise<Flags> {
  const { facts, options } = job;
  const { header } = facts;
  const isHeader = await askIsHeader(job);
  const flags: Flags[number][] = isHeader ? [] : [["--no-header"]];
  const places = [...facts.columns.values()].map((column, at) =>
    isHeader ? column : Object.assign({}, column, { name: `#${at + 1}`, title: `#${at + 1}` }),
  );
  const left = new Set(places);
  const repeated = places.find(({ name }) => header?.repeated.includes(name))?.field;
  const isWanted = (field: NewPetField): boolean =>
    field === repeated || (header?.missing.includes(field) ?? facts.missing[field] === facts.read);
  for (const field of newPetFieldNames) {
    const known = places.find((each) => each.field === field && field !== repeated);
    if (known !== undefined) {
      // A mapping names it too: one that is renamed is missed then.
      if (header !== undefined) flags.push(["--map", `${known.name}=${field}`]);
      flags.push(...(await askWords(job, field, columnWords(known, field, options))));
    }
    if (isWanted(field)) flags.push(...(await askField(job, field, left)));
  }
  const unused = [...left].filter(isOpenFor(undefined));
  if (unused.length === 0) return flags;
  const isKeyTwice = (header?.columns.filter(({ isKey }) => isKey).length ?? 0) > 1;
  const isAsked = options.key === undefined || isKeyTwice;
  const filled = isAsked ? unused.filter(({ count }) => count > 0) : [];
  const key = filled.length > 0 ? await askKey(job, filled) : [];
  return [...flags, ...key, ["--ignore-fields"]];
}

/** Asks whether the first row is a header, unless that is sure. */
async function askIsHeader(job: Guide): Promise<boolean> {
  const { kind, columns = [] } = job.facts.header ?? {};
  if (kind !== "unsure" && kind !== "data") return true;
  const titles = columns.map(({ title }) => title).join(", ");
  const choices = [
    { name: onOneLine(job.context, `Names of columns: ${titles}`), value: true },
    { name: onOneLine(job.context, `An animal: ${titles}`), value: false },
  ];
  return job.prompts.select("What is the first row?", choices, kind === "unsure");
}

/** Asks which of the columns that are left is for a field, which takes it from these, and what its words mean. */
async function askField(job: Guide, field: NewPetField, left: Set<ColumnFacts>): Promise<Flags> {
  const { header, holder } = job.facts;
  const open = [...left].filter(isOpenFor(field)).filter(({ count }) => count > 0);
  const names = open.map(({ name }) => name);
  const named = open[names.indexOf(guessByName(names, [field]).get(field) ?? "")];
  const guess = named ?? (field === "status" ? open.find(hasStatus) : undefined);
  // One number for all would make animals of headings.
  const hasHeadings = holder !== undefined || (header?.headings.length ?? 0) > 0;
  const isStop = field === "name" || (field === "categoryId" && hasHeadings);
  const other = isStop ? noneOfThese : otherwise[field];
  const column = await askColumn(
    job,
    `Which column is the ${flagNames[field]}?`,
    open,
    guess,
    other,
  );
  if (column !== null) {
    left.delete(column);
    const words = await askWords(job, field, columnWords(column, field, job.options));
    return [["--map", `${column.name}=${field}`], ...words];
  }
  if (isStop) throw new Stopped();
  if (field === "status") return [];
  return [["--category", await askNumber(job, "Category of all animals (a number):")]];
}

async function askKey(job: Guide, unused: readonly ColumnFacts[]): Promise<Flags> {
  const named = guessKey(unused.map(({ title }) => title));
  const guess = unused.find(({ title }) => title === named);
  const question = "Which column identifies an animal, such as a chip number?";
  const key = await askColumn(job, question, unused, guess, "None");
  return key === null ? [] : [["--key", key.name]];
}

const otherwise = { name: "", categoryId: "None: one number for all", status: "None" } as const;

const wrongNumber = (text: string) => problemInField("categoryId", "the category", text.trim());
const wrongName = (text: string) => problemInField("name", "the name", text);

const askNumber = async ({ prompts }: Guide, question: string): Promise<string> =>
  (await prompts.text(question, wrongNumber)).trim();

/** Asks what each text of a field means, the most frequent first; an answer with `*` is for all that are left. */
async function askWords(job: Guide, field: NewPetField, found: readonly Word[]): Promise<Flags> {
  if (field === "name") return [];
  const words = new Map<string, Word>();
  // A mapping has a line for each.
  for (const { text, count } of found.filter((word) => !/[\r\n]/.test(word.text))) {
    const stem = field === "status" ? stemsOf(text) : text;
    const known = words.get(stem);
    words.set(stem, { text: known?.text ?? text, count: (known?.count ?? 0) + count });
  }
  if (field === "categoryId" && words.size > 0)
    await job.context.note(
      "An answer with *, such as 9*, also applies to all other words. Press Enter for a word that is not a category.",
    );
  const flags: Flags[number][] = [];
  for (const [stem, { text, count }] of words) {
    const what = stem === anyOther ? "All others" : JSON.stringify(text);
    const date = stem === text ? "" : ", whatever the date";
    const shown = `${what}${date} (${plural(count, "row")})`;
    const isLast = stem === [...words.keys()].at(-1);
    const answer = await (field === "status"
      ? askStatus(job, `${shown} is the status:`, isLast, isDated(text))
      : job.prompts.text(`${shown} is the category (a number):`, (typed) =>
          typed.trim() === "" ? undefined : wrongNumber(typed.replace(/\*$/, "")),
        ));
    if (field === "categoryId" && answer.trim() === "") continue;
    const value = answer.replace(/\*$/, "").trim();
    flags.push(["--value", `${flagNames[field]}:${stem}=${value}`]);
    if (answer.endsWith("*")) return [...flags, ["--value", `${flagNames[field]}:*=${value}`]];
  }
  return flags;
}

/** Offers no status, as nothing is guessed; an answer for all the rest ends with `*`. */
function askStatus({ prompts }: Guide, question: string, isLast: boolean, isDate: boolean) {
  const one = [...petStatuses, ""].map((value) => ({ name: value || "none", value }));
  const all = one.map(({ name, value }) => ({
    name: `${name}, and so is every other word${isDate ? " or date" : ""}`,
    value: `${value}*`,
  }));
  return prompts.select(question, isLast ? one : [...one, ...all], "");
}

/** How each kind of invalid rows is told. */
const kindNames: Readonly<Record<InvalidKind, string>> = {
  heading: "like a heading or a total",
  name: "without a name",
  categoryId: "without a category",
  status: "with a wrong status",
  key: "with a rounded key",
  repeated: "with the key of another row",
  wrong: "that cannot be read",
};

/** Asks what becomes of each kind of invalid rows, showing which these are; they are left out only if all kinds are. */
async function askKinds(job: Guide): Promise<Flags> {
  const { facts, context, prompts } = job;
  const flags: Flags[number][] = [];
  const defaults = defaultable(facts);
  for (const [kind, { count, first }] of facts.kinds) {
    for (const { message, field, ...place } of first)
      await context.note([`${formatPlace(place)}:`, field ?? [], message].flat().join(" "));
    const more = count - first.length;
    if (more > 0) await context.note(`… and ${formatCount(more)} more`);
    const choices =
      kind === "repeated"
        ? ["first", "last"].map((value) => ({ name: `Send the ${value} of each`, value }))
        : [{ name: "Leave out", value: "skip" }];
    const field = defaults.find((each) => each === kind);
    if (field !== undefined)
      choices.push({ name: `One ${flagNames[field]} for all of them`, value: "default" });
    choices.push({ name: "Stop here", value: "stop" });
    const them = count === 1 ? "it" : "them";
    const question = `${plural(count, "row")} ${kindNames[kind]}. What should happen to ${them}?`;
    const answer = await prompts.select(question, choices, "stop");
    if (answer === "stop") throw new Stopped();
    if (answer === "skip") flags.push([skipInvalid]);
    else if (kind === "repeated") flags.push(["--repeats", answer]);
    else if (kind === "name") flags.push(["--name", await prompts.text("Their name:", wrongName)]);
    else flags.push(["--category", await askNumber(job, "Their category (a number):")]);
  }
  return flags;
}
