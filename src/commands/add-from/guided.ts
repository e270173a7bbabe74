import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { petStatuses } from "../../core/enums.ts";
import { orIoFailure } from "../../core/errors.ts";
import { formatCount, plural } from "../../core/format.ts";
import { parseInt64 } from "../../core/int64.ts";
import { parseExact } from "../../core/json/parse.ts";
import {
  asPetStatus,
  isEmptyName,
  type NewPetField,
  newPetFieldNames,
} from "../../core/pet-fields.ts";
import type { NewPet } from "../../core/pet.ts";
import { escapeControls } from "../../core/sanitize.ts";
import { guessByName } from "../../imports/input/columns.ts";
import { anyOther, wordsOf } from "../../imports/input/facts.ts";
import { textOf, valueAt } from "../../imports/input/row.ts";
import { flagNames } from "../../imports/input/suggest.ts";
import type { Flags, InputRecord } from "../../imports/types.ts";
import { type Column, newPetColumns, text as textColumn } from "../../output/columns.ts";
import { formatRecords } from "../../output/formats/index.ts";
import { cutText } from "../../output/text.ts";
import type { Prompts } from "../../platform/io.ts";
import { nextCommand } from "./display/summary.ts";
import { type ImportJob, openJob } from "./job.ts";
import { readFlags } from "./mapping.ts";
import type { FromOptions } from "./options.ts";

// Questions are another way to write a mapping: each answer is an option that --mapping reads.

type Answers = Partial<FromOptions>;
type Guide = ImportJob & { readonly prompts: Prompts };

/**
 * Asks until the rows of a file are understood, shows the first animals, and asks before anything is sent. Returns the
 * job to go on with; undefined if nothing is to be sent.
 */
export async function askAbout(first: ImportJob): Promise<ImportJob | undefined> {
  const { context, options: given } = first;
  const { note } = context;
  const prompts = await context.stdin.prompts(context.signal);
  let job = Object.assign(first, { prompts });
  await note(`Not all of ${job.source.name} is understood yet. Its first rows:`);
  await showSample(job);
  const asked = new Set<string>();
  for (;;) {
    const answers = await askNext(job, asked);
    if (answers === undefined) break;
    job[Symbol.dispose]();
    job = Object.assign(await openJob(context, { ...job.options, ...answers }), { prompts });
  }
  if (job.refusal !== undefined) return job;
  await showAnimals(job);
  const file = await askMappingFile(job);
  const reading = readFlags(job.options);
  const typed = new Set(readFlags(given).map(String));
  const answered = reading.filter((flag) => !typed.has(String(flag))).flat();
  const skips = job.options.skipInvalid && !given.skipInvalid ? ["--skip-invalid"] : [];
  const flags = [...(file === undefined ? answered : ["--mapping", file]), ...skips];
  job.next = nextCommand({ ...context, argv: [...context.argv, ...flags] }, false);
  await note(`The same without questions: ${job.next()}`);
  const question = `Send ${plural(job.rows - job.invalid - job.repeated, "animal")}?`;
  const goesOn = given.dryRun || (await confirm(job, question));
  if (file !== undefined) {
    const text = reading.map((flag) => `${flag.join(" ")}\n`).join("");
    orIoFailure(`cannot write ${file}`, () => writeFileSync(file, text, { flag: "wx" }));
  }
  if (goesOn) return job;
  job[Symbol.dispose]();
  await note("Nothing was sent.");
  return undefined;
}

const confirm = ({ prompts }: Guide, question: string, offered = false): Promise<boolean> => {
  const answers = [false, true].map((value) => ({ name: value ? "Yes" : "No", value }));
  return prompts.select(question, answers, offered);
};

/** Asks about the next subject that is not understood, and never about one again; undefined if none is left. */
async function askNext(job: Guide, asked: Set<string>): Promise<Answers | undefined> {
  const { facts, options, refusal, rows, invalid } = job;
  const { header, words, missing, unknown, listed, cures } = facts;
  const isNew = (subject: string): boolean => asked.size < asked.add(subject).size;
  const cure = [...cures].find(({ length }) => length > 0);
  if (cure !== undefined && isNew("cure") && (await confirm(job, readWith(cure), true)))
    return Object.fromEntries(cure.map(([flag = "", value = true]) => [optionOf(flag), value]));
  if (header?.titleLines && isNew("titles")) return { skipLines: header.titleLines };
  if (header?.kind === "quoted" && isNew("format")) return { format: "csv" };
  if ((header !== undefined || unknown.size > 0) && isNew("columns")) return askColumns(job);
  if (header !== undefined || refusal === undefined) return undefined;
  for (const field of ["categoryId", "status"] as const)
    if (words[field].size > 0 && isNew(field))
      return { value: [...(options.value ?? []), ...(await askWords(job, field))] };
  for (const field of ["name", "categoryId"] as const)
    if (missing[field] > 0 && isNew(`${field} is missing`)) return askMissing(job, field);
  if (invalid === rows || !isNew("invalid")) return undefined;
  for (const { line, field, message } of listed.slice(0, maxShown))
    await job.context.note([`line ${line}:`, field ?? [], message].flat().join(" "));
  const isLeftOut = await confirm(job, `Leave out ${plural(invalid, "invalid row")}?`);
  return isLeftOut ? { skipInvalid: true } : undefined;
}

const readWith = (flags: Flags): string => `Read it with ${flags.flat().join(" ")}?`;
/** Returns the name of the option that a flag sets. */
const optionOf = (flag: string): string =>
  flag.slice(2).replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());

const maxShown = 5;

const isStatus = (text: string): boolean => asPetStatus(text.trim().toLowerCase()) !== undefined;

type Candidate = ReturnType<typeof candidatesOf>[number];

/** Asks which columns are for which fields, and which one identifies an animal. */
async function askColumns(job: Guide): Promise<Answers> {
  const { facts, options, context, prompts } = job;
  const { header } = facts;
  const isHeadless = header?.kind === "data" && !(await confirm(job, "Is the first row a header?"));
  const left = new Set(candidatesOf(job, isHeadless));
  const repeated = [...left].find(({ title }) => header?.repeated.includes(title))?.field;
  const mostOften = Math.max(...facts.unknown.values());
  const isWanted = (field: NewPetField): boolean =>
    field === repeated || (header?.missing.includes(field) ?? facts.missing[field] >= mostOften);
  const choose = (
    question: string,
    open: readonly Candidate[],
    other: string,
    guess?: Candidate,
  ) => {
    const choices = open.map((value) => {
      const shown = value.values.filter((each) => each.trim() !== "").slice(0, 3);
      const name = escapeControls(`${value.title}: ${shown.join(", ")}`);
      return { name: cutText(name, (context.stderr.columns ?? 80) - 4), value };
    });
    const none = other === "" ? [] : [{ name: other, value: null }];
    const start = guess ?? (other === "None" ? null : open[0]);
    return prompts.select<Candidate | null>(question, [...choices, ...none], start);
  };
  const none = { name: "", categoryId: "One number for all", status: "None" };
  const map: string[] = [];
  let category: bigint | undefined;
  for (const field of newPetFieldNames.filter(isWanted)) {
    const open = [...left].filter((each) => each.field === undefined || each.field === field);
    const titles = open.map(({ title }) => title);
    const question = `Which column is the ${flagNames[field]}?`;
    const named = guessByName(titles, [field]).get(field);
    const guess =
      open.find(({ title }) => title === named) ??
      (field === "status" ? open.find(({ values }) => values.some(isStatus)) : undefined);
    const chosen = open.length > 0 && (await choose(question, open, none[field], guess));
    if (chosen && left.delete(chosen)) map.push(`${chosen.name}=${field}`);
    else if (field === "categoryId") category = await askNumber(job, "The category of all:");
  }
  const unused = [...left].filter(({ field }) => field === undefined);
  const question = "Which column identifies an animal, such as a chip number?";
  const isKeyOpen = unused.length > 0 && options.key === undefined;
  const key = isKeyOpen && (await choose(question, unused, "None"));
  return {
    map: [...(options.map ?? []), ...map],
    ...(isHeadless && { header: false }),
    ...(category !== undefined && { category }),
    ...(key && { key: key.name }),
    ...(unused.length > 0 && { ignoreFields: true }),
  };
}

/** Returns what is wrong with a category, a name, a new file. */
const wrongNumber = (text: string) =>
  parseInt64(text.trim()) === undefined ? "It must be an integer, such as 9." : undefined;
const wrongName = (text: string) => (isEmptyName(text) ? "It must not be empty." : undefined);
const wrongFile = (text: string) =>
  text === "" || existsSync(text) ? "It must be a file that does not exist yet." : undefined;

// A mapping has a line for each.
const isOneLine = (text: string): boolean => !/[\r\n]/.test(text);

const askNumber = async ({ prompts }: Guide, question: string): Promise<bigint> =>
  BigInt(await prompts.text(question, wrongNumber));

/** Asks what each text of a field means, the most frequent first; an answer with `*` is for all that are left. */
async function askWords(job: Guide, field: "categoryId" | "status"): Promise<readonly string[]> {
  const { facts, context, prompts } = job;
  const words = wordsOf(facts, field)
    .filter(({ text }) => isOneLine(text))
    .map(({ text, count }) => {
      const what = text === anyOther ? "All others" : `"${text}"`;
      return { text, what: `${what} (${plural(count, "row")})` };
    });
  if (field === "categoryId" && words.length > 1)
    await context.note("An answer with *, such as 9*, also applies to all other words.");
  const values: string[] = [];
  for (const [at, { text, what }] of words.entries()) {
    const isLast = at === words.length - 1;
    const answer = await (field === "status"
      ? askStatus(job, `${what} is`, isLast)
      : prompts.text(`${what} is category:`, (typed) => wrongNumber(typed.replace(/\*$/, ""))));
    const value = answer.replace(/\*$/, "").trim();
    values.push(`${flagNames[field]}:${text}=${value}`);
    if (answer.endsWith("*")) return [...values, `${flagNames[field]}:*=${value}`];
  }
  return values;
}

function askStatus({ prompts }: Guide, question: string, isLast: boolean): Promise<string> {
  const one = [...petStatuses, ""].map((value) => ({ name: value || "none", value }));
  const all = one.map(({ name, value }) => ({
    name: `${name}, like the rest`,
    value: `${value}*`,
  }));
  return prompts.select(question, isLast ? one : [...one, ...all]);
}

/** Asks what becomes of rows without a name or a category. */
async function askMissing(job: Guide, field: "name" | "categoryId"): Promise<Answers> {
  const name = flagNames[field];
  const which = `${plural(job.facts.missing[field], "row")} without a ${name}:`;
  const names = ["Leave out", `One ${name} for all of them`];
  const choices = names.map((each, at) => ({ name: each, value: at }));
  if ((await job.prompts.select(which, choices)) === 0) return { skipInvalid: true };
  if (field === "categoryId") return { category: await askNumber(job, "Their category:") };
  return { name: await job.prompts.text("Their name:", wrongName) };
}

/** Returns the file in which the answers are to be kept, if they are. */
async function askMappingFile(job: Guide): Promise<string | undefined> {
  const question = "Keep the answers as a mapping, for the next such file?";
  if (!(await confirm(job, question))) return undefined;
  const offered = `${path.parse(job.options.from).name}.map`;
  return job.prompts.text("File name:", wrongFile, existsSync(offered) ? undefined : offered);
}

/** Returns the columns, or the keys of JSON that no animal has, as `--map` names them, with values of the first rows. */
function candidatesOf({ facts }: ImportJob, isHeadless: boolean) {
  const { header, unknown, sample } = facts;
  if (header === undefined)
    return [...unknown.keys()].filter(isOneLine).map((name) => {
      const values = sample.map((row) => shownAt(row, name));
      return { name, title: name, field: undefined, values };
    });
  const names = header.columns.map(({ name }) => name);
  return header.columns.map(({ name: own, field }, at) => {
    const title = isHeadless ? `#${at + 1}` : own;
    const isClear = isOneLine(title) && names.indexOf(title) === names.lastIndexOf(title);
    const values = dataRows(facts).map((cells) => cells[at] ?? "");
    return { name: isClear ? title : `#${at + 1}`, title, field, values };
  });
}

const dataRows = ({ header, sample }: ImportJob["facts"]) =>
  header === undefined || header.kind === "data" ? sample : sample.slice(1);

/** Returns the text of a JSON row at a path; none where the row is not JSON. */
function shownAt(row: InputRecord["original"], name: string): string {
  try {
    return textOf(valueAt(parseExact(String(row)), name)) ?? "";
  } catch {
    return "";
  }
}

/** Shows the first rows as they are in the file, with as many columns as there is room for. */
function showSample(job: ImportJob): Promise<void> {
  const { facts, shape, context } = job;
  const isHeadless = facts.header?.kind === "data";
  const names = facts.header?.columns.map(({ name }, at) => (isHeadless ? `#${at + 1}` : name));
  const titles = names ?? shape.columns ?? ["ROW"];
  const shown = titles.slice(0, Math.ceil((context.stderr.columns ?? 80) / 10));
  const columns = shown.map((title, at) => textColumn(String(at), escapeControls(title)));
  const records = dataRows(facts).map((row) => Object.fromEntries([row].flat().entries()));
  return showTable(job, records, columns);
}

async function showAnimals(job: ImportJob): Promise<void> {
  const { context, source, rows, invalid } = job;
  const pets: NewPet[] = [];
  for await (const batch of source.rows()) {
    pets.push(...batch.slice(0, maxShown - pets.length).map(({ pet }) => pet));
    if (pets.length === maxShown) break;
  }
  await context.note("The first animals as they would be sent:");
  await showTable(job, pets, newPetColumns);
  await context.note(`Valid: ${formatCount(rows - invalid)} of ${plural(rows, "row")}.`);
}

async function showTable(job: ImportJob, records: readonly object[], columns: readonly Column[]) {
  const { stderr } = job.context;
  const target = { terminal: true, color: false, width: stderr.columns ?? 80 };
  await stderr.write(await formatRecords(records, { format: "table", columns, ...target }));
}
