import * as fc from "fast-check";
import { type Animal, type AskedRow, nameOf } from "./model.ts";
import type { Trouble } from "./process.ts";
import type { Fate } from "./shop.ts";

export interface InputFile {
  readonly format: "ndjson" | "csv";
  readonly rows: readonly AskedRow[];
}

/** The ways to import a file. */
export const flagsOf = {
  onlyNew: { onlyNew: true },
  plain: {},
  check: { checkUnknown: true },
  again: { again: true },
  retry: { retryUnknown: true },
  retryNew: { onlyNew: true, retryUnknown: true },
} as const;

export interface ImportCommand {
  readonly type: "import";
  /** Its number, from 0. */
  readonly file: number;
  readonly how: keyof typeof flagsOf;
  /** What becomes of the POSTs in turn; the others go well. */
  readonly fates: readonly Fate[];
  readonly trouble: Trouble | undefined;
  readonly concurrency: number;
}

export type Command =
  | ImportCommand
  | { readonly type: "pair"; readonly one: ImportCommand; readonly other: ImportCommand }
  | { readonly type: "check"; readonly place: number; readonly trouble: Trouble | undefined }
  | { readonly type: "forget"; readonly place: number }
  | { readonly type: "advance" | "jump"; readonly ms: number }
  | { readonly type: "replace" };

export interface History {
  /** The status that the store gives an animal without one. */
  readonly given: Animal["status"];
  readonly files: readonly InputFile[];
  readonly commands: readonly Command[];
}

/** What a history may be without: ways to import, fates, troubles, commands, keys, and other forms of a name. */
export type Kind =
  | ImportCommand["how"]
  | Fate["is"]
  | Trouble["kind"]
  | Exclude<Command["type"], "import">
  | "keys"
  | "forms"
  | "status"
  /** More than one file. */
  | "files"
  /** A clock that is set back. */
  | "back";

type Without = ReadonlySet<Kind>;

/** Returns one of these choices, the first ones more often; shrinks to the first. */
function oneOf<Choice extends string>(
  without: Without,
  weights: Readonly<Record<Choice, number>>,
): fc.Arbitrary<Choice> {
  const all = Object.entries<number>(weights) as [Choice & Kind, number][];
  const kept = all.filter(([choice]) => !without.has(choice));
  return fc.constantFrom(...kept.flatMap(([choice, weight]) => Array<Choice>(weight).fill(choice)));
}

const forms = ["Zo\u00eb", "Zoe\u0308", " a", "a "];

function anyRow(without: Without): fc.Arbitrary<AskedRow> {
  const plain = ["a", "a", "a", "b", "b", "c"];
  const names = without.has("forms") ? plain : [...plain, ...forms];
  const statuses = without.has("status")
    ? [undefined]
    : ([undefined, undefined, "sold", "available"] as const);
  return fc
    .record({
      name: fc.constantFrom(...names),
      status: fc.constantFrom(...statuses),
      key: without.has("keys") ? fc.constant(0) : fc.constantFrom(0, 0, 1, 2),
    })
    .map(({ name, status, key }) => rowOf(name, status, key === 0 ? "" : `${key}`));
}

/** Returns a row without what it does not have; a key is that of its name. */
export function rowOf(name: string, status?: Animal["status"], key = ""): AskedRow {
  const own = { ...(status && { status }), ...(key && { key: `${nameOf({ name })}${key}` }) };
  return { name, ...own };
}

function anyFile(without: Without): fc.Arbitrary<InputFile> {
  const rows = fc.array(anyRow(without), { minLength: 1, maxLength: 5 }).map(withEachKeyOnce);
  return fc.record({ format: fc.constantFrom("ndjson", "csv"), rows });
}

/** A key that comes again in one file makes an invalid row: it is left out. */
function withEachKeyOnce(rows: readonly AskedRow[]): readonly AskedRow[] {
  const keys = rows.map(({ key }) => key);
  return rows.map(({ key, ...row }, at) =>
    key !== undefined && keys.indexOf(key) === at ? { ...row, key } : row,
  );
}

function anyFate(without: Without): fc.Arbitrary<Fate> {
  return fc.record({
    is: oneOf(without, { ok: 4, gone: 2, kept: 2, late: 2, stop: 1, rejected: 1, busy: 1 }),
    turns: fc.tuple(fc.nat(2), fc.nat(3)),
    seconds: fc.integer({ min: 1, max: 59 }),
  });
}

function anyTrouble(without: Without): fc.Arbitrary<Trouble | undefined> {
  const kill = fc.record({ kind: fc.constant("kill" as const), at: fc.nat(70) });
  const [at, busy] = [fc.integer({ min: 1, max: 16 }), fc.nat(3)];
  const full = fc.record({ kind: fc.constant("full" as const), at, busy });
  const troubles = [...(without.has("kill") ? [] : [kill]), ...(without.has("full") ? [] : [full])];
  if (troubles.length === 0) return fc.constant(undefined);
  return fc.option(fc.oneof(...troubles), { nil: undefined, freq: 2 }).map((trouble) => trouble);
}

function anyImport(without: Without): fc.Arbitrary<ImportCommand> {
  return fc.record({
    type: fc.constant("import" as const),
    file: fc.nat(2),
    how: oneOf(without, { onlyNew: 5, plain: 2, check: 2, again: 1, retry: 1, retryNew: 1 }),
    fates: fc.array(anyFate(without), { maxLength: 5 }),
    trouble: anyTrouble(without),
    concurrency: fc.constantFrom(1, 2, 4),
  });
}

function anyCommand(without: Without): fc.Arbitrary<Command> {
  const one = anyImport(without);
  const place = fc.nat(5);
  const weighted: readonly { kind?: Kind; weight: number; arbitrary: fc.Arbitrary<Command> }[] = [
    { weight: 8, arbitrary: one },
    {
      kind: "pair",
      weight: 2,
      arbitrary: fc.record({ type: fc.constant("pair" as const), one, other: one }),
    },
    {
      kind: "check",
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant("check" as const),
        place,
        trouble: anyTrouble(without),
      }),
    },
    {
      kind: "forget",
      weight: 1,
      arbitrary: fc.record({ type: fc.constant("forget" as const), place }),
    },
    {
      kind: "advance",
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant("advance" as const),
        ms: fc.constantFrom(10_000, 61_000),
      }),
    },
    {
      kind: "jump",
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("jump" as const),
        ms: fc.constantFrom(3_600_000, ...(without.has("back") ? [] : [-3_600_000])),
      }),
    },
    { kind: "replace", weight: 1, arbitrary: fc.record({ type: fc.constant("replace" as const) }) },
  ];
  return fc.oneof(...weighted.filter(({ kind }) => !kind || !without.has(kind)));
}

export function anyHistory(without: Without): fc.Arbitrary<History> {
  return fc.record({
    given: fc.constantFrom(undefined, "available" as const),
    files: fc.array(anyFile(without), { minLength: 1, maxLength: without.has("files") ? 1 : 3 }),
    commands: fc.array(anyCommand(without), { minLength: 1, maxLength: 8 }),
  });
}

const rowText = ({ name, status, key }: AskedRow): string =>
  [name, ...(status ? [status] : []), ...(key ? [`#${key}`] : [])].join(" ");

function fateText({ is, turns, seconds }: Fate): string {
  const when = turns.some((count) => count > 0) ? `@${turns.join("/")}` : "";
  return is === "late" ? `late ${seconds} s${when}` : `${is}${when}`;
}

const troubleText = (trouble: Trouble | undefined): string =>
  trouble === undefined
    ? ""
    : trouble.kind === "kill"
      ? `, killed at ${trouble.at}`
      : `, disk full at ${trouble.at}, busy ${trouble.busy}`;

/** Returns a command in words. */
export function inALine(command: Command): string {
  if (command.type === "pair") return `(${inALine(command.one)} | ${inALine(command.other)})`;
  if (command.type === "check") return `check ${command.place}${troubleText(command.trouble)}`;
  if (command.type === "forget") return `forget ${command.place}`;
  if (command.type === "replace") return "replace the store";
  if (command.type !== "import") return `${command.type} ${command.ms / 1000} s`;
  const { file, how, fates, trouble, concurrency } = command;
  const met = fates.length === 0 ? "" : ` [${fates.map(fateText).join(", ")}]`;
  return `file ${file} ${how}${met}${concurrency > 1 ? ` ×${concurrency}` : ""}${troubleText(trouble)}`;
}

/** Returns a history in words. */
export function describeHistory({ given, files, commands }: History): string {
  const inputs = files.map(
    ({ format, rows }, at) => `file ${at} ${format} {${rows.map(rowText).join(", ")}}`,
  );
  const gives = given ? `a store that gives ${given}; ` : "";
  return `${gives}${inputs.join("; ")}: ${commands.map(inALine).join("; ")}`;
}
