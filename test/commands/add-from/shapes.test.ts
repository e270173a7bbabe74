import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { Failure } from "../../../src/core/errors.ts";
import type { Prompts } from "../../../src/platform/io.ts";
import { type CliRun, runHere } from "../../support/command/world.ts";

// No animal can be deleted: what pets suggests and offers must never add one that is not in the file. The files and what
// a second reader finds in them are in test/fixtures/shapes.

const folder = path.join(import.meta.dirname, "../../fixtures/shapes");

/** What a careful user knows of a file: how many commands and answers it takes, and what only the user can tell. */
interface Shape {
  /** How many commands lead to a right dry run, that included, by what the errors suggest. */
  readonly commands: number;
  /** How many answers do. */
  readonly answers: number;
  readonly columns?: Readonly<Record<string, string>>;
  /** The category of all. */
  readonly category?: string;
  /** Which row of a key counts. */
  readonly repeats?: "first" | "last";
  /** How the hints begin that are followed in place of the first. */
  readonly hints?: readonly string[];
  /** The flags of the first command. */
  readonly start?: readonly string[];
  /** How the choices begin that are right, by how the questions do. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Whether only some of the animals can go in. */
  readonly isPart?: true;
  /** Whether the first hints lead to other animals of the file, which are of another category. */
  readonly isChosen?: true;
  /** What is said where nothing can go in as it is. */
  readonly outside?: RegExp;
  /** Whether the guide has nothing to ask, and tells the same as without a terminal. */
  readonly isUnasked?: true;
  /** What is never said, suggested or offered. */
  readonly never?: RegExp;
  /** What is said before animals are sent. */
  readonly told?: RegExp;
}

const shapes: Readonly<Record<string, Shape>> = {
  "airtable.json": { commands: 3, answers: 9, choices: { "Where are": "records" } },
  "blanks.csv": { commands: 2, answers: 4 },
  "broken-quote.csv": { commands: 2, answers: 0, isUnasked: true },
  "category-objects.json": {
    commands: 3,
    answers: 5,
    columns: { name: "title", categoryId: "category.id" },
    choices: { "Where are": "data" },
  },
  "concatenated.csv": { commands: 2, answers: 4, never: /category:Species=|"Species" \(/ },
  "concatenated-unknown.csv": {
    commands: 3,
    answers: 9,
    columns: { name: "Rufname", categoryId: "Rasse", status: "Stand" },
  },
  "dated-status.csv": { commands: 2, answers: 7 },
  "dates-alone.csv": { commands: 2, answers: 5 },
  "django.json": { commands: 3, answers: 7, columns: { categoryId: "fields.kind" } },
  "dogs-and-cats.json: dogs": {
    commands: 3,
    answers: 5,
    category: "1",
    hints: ["If all have the same category"],
    choices: { "Where are": "dogs" },
  },
  "dogs-and-cats.json: cats": {
    commands: 3,
    answers: 5,
    category: "2",
    hints: ["Or", "If all have the same category"],
    isChosen: true,
    choices: { "Where are": "cats" },
  },
  "dos.csv": { commands: 1, answers: 0, outside: /UTF-8/ },
  "dump.sql": { commands: 1, answers: 0, outside: /SQL/ },
  "euc-kr.csv": {
    commands: 4,
    answers: 12,
    columns: { name: "이름", categoryId: "종류", status: "상태" },
  },
  "firebase.json": { commands: 2, answers: 6 },
  "footnotes.tsv": { commands: 3, answers: 5 },
  "gbk.csv": {
    commands: 4,
    answers: 13,
    columns: { name: "名字", categoryId: "种类", status: "状态" },
  },
  "header-with-year.csv": {
    commands: 3,
    answers: 9,
    columns: { name: "Tier", categoryId: "Art" },
  },
  "headings.csv": { commands: 3, answers: 7 },
  "headings-alone.csv": {
    commands: 1,
    answers: 1,
    outside: /look like headings or totals/,
    never: /one number for all/,
  },
  "inches.csv": { commands: 1, answers: 0 },
  "inserts.txt": { commands: 1, answers: 0, outside: /SQL/ },
  "koi8-r.txt": {
    commands: 4,
    answers: 10,
    columns: { name: "Кличка", categoryId: "Вид", status: "Статус" },
  },
  "markdown.txt": { commands: 2, answers: 5 },
  "merged.csv": { commands: 3, answers: 7, isPart: true },
  "mysql.txt": { commands: 4, answers: 8 },
  "no-header-unsure.csv": {
    commands: 3,
    answers: 11,
    columns: { name: "#1", categoryId: "#2" },
    hints: ["If the first row is an animal"],
    choices: { "first row": "An animal" },
  },
  "no-header-words.csv": {
    commands: 3,
    answers: 9,
    columns: { name: "#1", categoryId: "#2" },
  },
  "nulls.csv": { commands: 2, answers: 3 },
  "numbers.xlsx": { commands: 3, answers: 4 },
  "open-data.json": {
    commands: 4,
    answers: 10,
    columns: { name: "#4", categoryId: "#5", status: "#6" },
    choices: { "Where are": "data" },
  },
  "owners.json": {
    commands: 2,
    answers: 7,
    columns: { name: "pet.nickname", categoryId: "pet.species", status: "pet.status" },
  },
  "owners-with-pets.json": {
    commands: 1,
    answers: 1,
    outside: /an array inside/,
    never: /--category|one number for all/,
  },
  "pandas-columns.json": { commands: 1, answers: 0, outside: /by columns/ },
  "pandas-split.json": {
    commands: 4,
    answers: 8,
    columns: { name: "#1", categoryId: "#2", status: "#3" },
    choices: { "Where are": "data" },
  },
  "phpmyadmin.json": {
    commands: 3,
    answers: 11,
    columns: { name: "rufname", categoryId: "tierart" },
    choices: { "Where are": "2.data" },
  },
  "psql.txt": { commands: 3, answers: 7 },
  "python.txt": { commands: 1, answers: 0, outside: /Python/ },
  "quoted-nulls.csv": { commands: 1, answers: 0 },
  "repeated-keys.csv: first": {
    commands: 2,
    answers: 2,
    start: ["--key", "Chip"],
    repeats: "first",
    choices: { "key of another": "Send the first" },
  },
  "repeated-keys.csv: last": {
    commands: 2,
    answers: 2,
    start: ["--key", "Chip"],
    repeats: "last",
    choices: { "key of another": "Send the last" },
  },
  "same-titles.csv": {
    commands: 3,
    answers: 5,
    columns: { categoryId: "#2 Category" },
  },
  "saved-as-html.xls": { commands: 1, answers: 0, outside: /save it as .xlsx or CSV/ },
  "sorted-by-kind.csv": {
    commands: 1,
    answers: 1,
    outside: /look like headings or totals/,
    never: /one number for all/,
  },
  "thirty-columns.csv": { commands: 2, answers: 7 },
  "title-over-lines.csv": {
    commands: 3,
    answers: 7,
    columns: { name: "Pet Name", categoryId: "Species (common)" },
  },
  "titles.xlsx": { commands: 3, answers: 11 },
  "total.csv": { commands: 3, answers: 4 },
  "totals-by-kind.csv": {
    commands: 3,
    answers: 11,
    columns: { name: "Animal" },
  },
  "two-sheets.xlsx: Dogs": {
    commands: 2,
    answers: 4,
    told: /Cats/,
    category: "1",
    hints: ["If all have the same category"],
  },
  "two-sheets.xlsx: Cats": {
    commands: 2,
    answers: 4,
    category: "2",
    start: ["--sheet", "Cats"],
    hints: ["If all have the same category"],
  },
  "unknown-fields.json": { commands: 2, answers: 5 },
  "windows-1251.csv": {
    commands: 4,
    answers: 12,
    columns: { name: "Кличка", categoryId: "Вид", status: "Статус" },
  },
  "windows-1254.csv": {
    commands: 4,
    answers: 12,
    columns: { name: "Adı", categoryId: "Türü", status: "Durumu" },
    choices: { "How does": "windows-1254" },
  },
};

const truth: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(path.join(folder, "truth.json"), "utf8"),
);

/** Returns the file of a shape, and all animals that are in it. */
function fileOf(name: string) {
  const [file = ""] = name.split(": ");
  const same = Object.entries(truth).filter(([other]) => other.split(": ")[0] === file);
  return { file, all: same.flatMap(([, animals]) => animals) };
}

it("a reader in Python finds the same animals", () => {
  const { error, stdout } = spawnSync("python3", [path.join(folder, "truth.py")]);
  const found = error === undefined ? JSON.parse(stdout.toString()) : truth;
  expect(found).toEqual(truth);
  expect(Object.keys(truth)).toEqual(Object.keys(shapes));
});

const kinds: readonly (readonly [string, RegExp])[] = [
  ["1", /^(?:1|dogs?|hund|chien|собака|狗|개|köpek)$/i],
  ["2", /^(?:2|cats?|katze|chat|кошка|猫|고양이|kedi)$/i],
];
const categoryOf = (word: string): string =>
  kinds.find(([, pattern]) => pattern.test(word))?.[0] ?? "9";

const statuses: readonly (readonly [string, RegExp])[] = [
  ["available", /^(?:available|frei|disponible|ищет дом|待领养|입양가능|yuva arıyor)/i],
  ["pending", /^(?:pending|reserve|reserviert|réservé|забронирован|已预订|예약중|rezerve)/i],
  ["sold", /^(?:sold|adopt|vermittelt|пристроен|已领养|입양완료|sahiplendirildi|2|\d{4}-)/i],
];
const statusOf = (word: string): string =>
  statuses.find(([, pattern]) => pattern.test(word))?.[0] ?? "";

/** Returns the words of a command line, as a shell reads them. */
function wordsOf(line: string): readonly string[] {
  const text = execFileSync("sh", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" });
  return text.split("\0").slice(0, -1);
}

/** Returns the animals of a dry run in NDJSON as text. */
const animalsIn = ({ stdout }: CliRun): readonly string[] =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Object.values(JSON.parse(line)).join(" "));

/** Returns the animals that are not among others, each as often as it comes. */
function besides(animals: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return animals.filter((animal) => {
    const at = left.indexOf(animal);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Returns a flag's value with its placeholder replaced; undefined if no value is right. */
function filled(word: string, { columns = {}, category, repeats }: Shape): string | undefined {
  const [placeholder] = /<(?:column|id|status|name|first\|last)>/.exec(word) ?? [];
  if (placeholder === undefined) return word;
  const [, text = ""] = /^\w+:(.*)=<\w+>$/s.exec(word) ?? [];
  const [, field = ""] = /^<column>=(\w+)$/.exec(word) ?? [];
  const values: Readonly<Record<string, string | undefined>> = {
    "<column>": columns[field],
    "<id>": text === "" ? category : categoryOf(text),
    "<status>": statusOf(text),
    "<name>": "Unnamed",
    "<first|last>": repeats,
  };
  const value = values[placeholder];
  return value === undefined ? undefined : word.replace(placeholder, value);
}

interface Advice {
  readonly flags: readonly string[] | undefined;
  readonly isSkip: boolean;
  readonly text: string;
}

/** Returns the flags that an error suggests, as the user completes them; none if it suggests none. */
function adviceOf({ stderr }: CliRun, shape: Shape, hints: readonly string[] = []): Advice {
  const { error } = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
  const told: readonly string[] = error.hints ?? [];
  const cures = told.filter((hint) => /^[^:]+: -/.test(hint));
  const hint = cures.find((each) => hints.some((start) => each.startsWith(start))) ?? cures[0];
  const isSkip = told.some((each) => each.includes(" --skip-invalid"));
  const text = [
    error.message.replace(/ in \S+/, ""),
    ...(error.details ?? []).map(Object.values),
  ].join("\n");
  if (hint === undefined) return { flags: isSkip ? ["--skip-invalid"] : [], isSkip, text };
  const words = wordsOf(hint.slice(hint.indexOf(": ") + 2)).map((word) => filled(word, shape));
  const flags = words.flatMap((word) => word ?? []);
  return { flags: flags.length < words.length ? undefined : flags, isSkip, text };
}

/** Adds the status to the columns that are mapped, where it would be ignored: the error names it among the unknown ones. */
function withStatus(words: readonly string[], { columns }: Shape): readonly string[] {
  const isIgnored =
    words.includes("--ignore-fields") && !words.some((word) => word.endsWith("=status"));
  const name = columns?.["status"];
  return isIgnored && name !== undefined ? ["--map", `${name}=status`, ...words] : words;
}

/** Runs a dry run of a file. */
const dryRun = (file: string, words: readonly string[]): Promise<CliRun> =>
  runHere(["add", "--from", path.join(folder, file), ...words, "--dry-run", "-o", "ndjson"], {});

/** Follows hints until a dry run succeeds, or nothing is suggested, or no value is right. */
async function follow(name: string, shape: Shape, hints?: readonly string[]) {
  const { file, all } = fileOf(name);
  let words: readonly string[] = [...(shape.start ?? [])];
  const log: string[] = [];
  const wrong: string[] = [];
  const check = async (flags: readonly string[]): Promise<CliRun> => {
    const run = await dryRun(file, flags);
    wrong.push(...besides(animalsIn(run), all).map((each) => `${each} by ${flags.join(" ")}`));
    return run;
  };
  for (let count = 1; ; count += 1) {
    const run = await check(words);
    log.push(`${words.join(" ")} → ${run.code} ${run.stderr.trim()}`);
    const { flags, isSkip, text } =
      run.code === 2 ? adviceOf(run, shape, hints) : { flags: [], isSkip: false, text: "" };
    if (isSkip && flags?.[0] !== "--skip-invalid") await check([...words, "--skip-invalid"]);
    if (flags === undefined || flags.length === 0 || count === 6)
      return { count, run, wrong, said: log.join("\n"), text };
    words = withStatus([...words, ...flags], shape);
  }
}

/** How a walk ended. */
interface Walk {
  readonly animals: readonly string[];
  /** The animals that are not in the file, at any step. */
  readonly wrong: readonly string[];
  /** How many commands or answers it took. */
  readonly count: number;
  readonly said: string;
}

/** Returns how a walk ended, and how it should; what was said is shown beside a difference. */
function judge(name: string, shape: Shape, isNone: boolean, right: number, walk: Walk) {
  const { animals, wrong, count, said } = walk;
  const all = isNone ? [] : truth[name];
  const seen = {
    // Some are enough where others cannot go in.
    animals: shape.isPart === true && animals.length > 0 ? all : animals,
    wrong,
    count,
    isTold: shape.told?.test(said) ?? true,
    isNeverSaid: shape.never?.test(said) !== true,
    said,
  };
  const due = { animals: all, wrong: [], count: right, isTold: true, isNeverSaid: true, said };
  return [seen, due] as const;
}

it.each(Object.entries(shapes))("hints lead %s to right animals", async (name, shape) => {
  const { run, text, ...walk } = await follow(name, shape, shape.hints);
  // Without hints of its own, the way has been that of the first ones.
  const isBlind = shape.isChosen || shape.hints === undefined;
  const blind = isBlind ? walk : await follow(name, shape);
  const wrong = [...walk.wrong, ...blind.wrong];
  const isNone = shape.outside !== undefined;
  const ended = { ...walk, animals: animalsIn(run), wrong };
  const [seen, due] = judge(name, shape, isNone, shape.commands, ended);
  expect(seen).toEqual(due);
  expect(text).toMatch(shape.outside ?? /^/);
});

/** Answers with what is right, or with what is offered unless that is to stop; where no answer is right, the run ends. */
function answering(shape: Shape, isRight: boolean) {
  const log: string[] = [];
  const prompts: Prompts = {
    select: async (question, choices, first) => {
      const names = choices.map(({ name }) => name);
      const offered = choices.find(({ value }) => value === first)?.name ?? names[0] ?? "";
      const isOpen = isRight || /stop here/i.test(offered);
      const start = isOpen ? rightChoice(question, shape) : undefined;
      const chosen = choices[names.findIndex((each) => each.startsWith(start ?? offered))];
      log.push(`${question} [${names.join(" / ")}] ${chosen?.name}`);
      if (chosen === undefined) throw new Error(`${start} is no choice: ${names.join(" / ")}`);
      return chosen.value;
    },
    text: async (question, check) => {
      const answer = typed(question, shape);
      log.push(`${question} ${answer}`);
      if (answer === undefined) throw new Failure("interrupted", "Ctrl-C");
      const wrong = check(answer);
      if (wrong !== undefined) throw new Error(wrong);
      return answer;
    },
  };
  return { log, prompts };
}

/** Returns how the right choice begins; undefined for the one that is offered. */
function rightChoice(question: string, shape: Shape): string | undefined {
  const own = Object.entries(shape.choices ?? {}).find(([start]) => question.includes(start));
  if (own !== undefined) return own[1];
  const [, word] = /^"([^]*)"(?:, whatever the date)? \(.*is the status/.exec(question) ?? [];
  if (word !== undefined) return statusOf(word) || "none";
  const [, field = ""] = /^Which column is the (\w+)/.exec(question) ?? [];
  const column = shape.columns?.[field === "category" ? "categoryId" : field];
  if (column !== undefined) return `${column}:`;
  return kindChoices.find(([part]) => question.includes(part))?.[1];
}

const kindChoices: readonly (readonly [string, string])[] = [
  ["heading", "Leave out"],
  ["cannot be read", "Leave out"],
  ["without a category", "Leave out"],
  ["without a name", "One name"],
];

/** Returns what is typed; undefined if nothing is right. */
function typed(question: string, { category }: Shape): string | undefined {
  const [, word] = /^"([^]*)" \(.*category/.exec(question) ?? [];
  if (word !== undefined) return categoryOf(word);
  if (question.startsWith("All others")) return "9";
  return question.includes("name") ? "Unnamed" : category;
}

/** Runs a guided dry run, whose animals come as TSV. */
async function guide(name: string, shape: Shape, isRight: boolean) {
  const { file, all } = fileOf(name);
  const { log, prompts } = answering(shape, isRight);
  const words = [...(shape.start ?? []), "--dry-run", "-o", "tsv"];
  const run = await runHere(["add", "--from", path.join(folder, file), ...words], {
    prompts,
    terminal: { columns: 200 },
  });
  const animals = run.stdout
    .split("\n")
    .slice(1)
    .filter((line) => line !== "")
    .map((line) =>
      line
        .split("\t")
        .filter((cell) => cell !== "")
        .join(" "),
    );
  const said = [...log, run.stderr].join("\n");
  return { animals, all, wrong: besides(animals, all), count: log.length, said };
}

it.each(Object.entries(shapes))(
  "what the guide offers for %s adds no wrong animal",
  async (name, shape) => {
    const { wrong, all, said } = await guide(name, shape, false);
    // Where the status is left open, none is right.
    const open = all.map((animal) => animal.replace(/ (?:available|pending|sold)$/, ""));
    expect({ wrong: besides(wrong, open), said }).toEqual({ wrong: [], said });
  },
);

it.each(Object.entries(shapes))("answers lead %s to right animals", async (name, shape) => {
  const walk = await guide(name, shape, true);
  const isNone = shape.isUnasked ?? shape.outside !== undefined;
  const [seen, due] = judge(name, shape, isNone, shape.answers, walk);
  expect(seen).toEqual(due);
});
