import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  existsSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { addFrom } from "../../../src/commands/add-from/import-file.ts";
import type { Context } from "../../../src/commands/context.ts";
import { check } from "../../../src/commands/imports/check.ts";
import { forget } from "../../../src/commands/imports/recorded-imports.ts";
import { resolveSettings } from "../../../src/config/settings.ts";
import { errorMessage, Failure } from "../../../src/core/errors.ts";
import { Secrets } from "../../../src/core/secrets.ts";
import { ImportDatabase } from "../../../src/imports/database/database.ts";
import { listImports, recordedRows } from "../../../src/imports/database/import-records.ts";
import { outcomeName } from "../../../src/imports/results.ts";
import { testMachine } from "../../support/command/machine.ts";
import { type FakeClock, fakeClock, recordOutput } from "../../support/command/terminal.ts";
import {
  type History,
  type ImportCommand,
  type InputFile,
  type Kind,
  anyHistory,
  describeHistory,
  flagsOf,
  inALine,
} from "./any-history.ts";
import { type Send, Reference, type ToldRow, nameOf } from "./model.ts";
import { TestProcess, type Trouble, watchProcesses } from "./process.ts";
import { Shop, clientOf } from "./shop.ts";

/** All that histories use of the program besides its client and files: what changes with it is here. */
const program = {
  add: addFrom,
  forget: (context: Context, id: number) => forget(context, id, { force: true }),
  check: (context: Context, id?: number) => check(context, id),
  open: (state: string, access: "read" | "write") => new ImportDatabase(state, access),
  /** Returns the imports with what is recorded of their own rows: `imports list` and `imports show`. */
  recorded(database: ImportDatabase) {
    return listImports(database).map(({ id, name, ...record }) => {
      const rows = recordedRows(database, { id }, 0, record.rows).map(
        ({ number, state, outcome, id: pet }) => ({
          number,
          outcome: outcomeName(outcome),
          pet: state === "added" ? pet : null,
        }),
      );
      return { id, name, rows };
    });
  },
};

const base = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const baseUrl = new URL("http://127.0.0.1:1/v1");
const settings = resolveSettings({
  typed: { json: true, quiet: true },
  env: { PETS_API_KEY: "key-of-histories-1234", PETS_BASE_URL: baseUrl.href },
});
/** A process that has not ended after so long hangs. */
const hangsAfterMs = 20_000;

let empty: string | undefined;

/** Returns an empty record of imports, which is faster to copy than to make. */
function emptyRecord(): string {
  if (empty !== undefined) return empty;
  const folder = mkdtempSync(path.join(base, "pets-histories-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  program.open(folder, "write").close();
  empty = path.join(folder, "imports.db");
  return empty;
}

/** On whose behalf a process sends. */
interface Sender {
  readonly by: Send["by"];
  /** Of its file. */
  readonly text: string;
}

/** What a run told until it ended. */
interface Ran {
  /** Undefined where it was killed. */
  readonly exit: number | undefined;
  readonly error: unknown;
  readonly results: readonly ToldRow[];
}

/** Plays one history, and collects what is broken. */
class World {
  readonly folder = mkdtempSync(path.join(base, "pets-histories-"));
  readonly state = path.join(this.folder, "state");
  readonly clock: FakeClock = fakeClock();
  readonly reference: Reference;
  readonly shop: Shop;
  readonly files: readonly (InputFile & { readonly path: string })[];
  /** The files that a run was told to add, by store. */
  readonly given = new Map<string, Set<number>>();
  readonly broken: string[] = [];
  readonly log: string[] = [];
  readonly #only: RegExp;
  /** The texts of the files that were given with `--again`. */
  readonly #anew = new Set<string>();
  #runs = 0;

  /** Open all the time, as a list of imports may be. */
  readonly record: ImportDatabase;

  constructor({ files, given }: History, only: RegExp) {
    this.#only = only;
    this.reference = new Reference(given);
    this.shop = new Shop(this.reference, given, () => this.clock.monotonic());
    mkdirSync(this.state, { mode: 0o700 });
    copyFileSync(emptyRecord(), path.join(this.state, "imports.db"));
    this.record = program.open(this.state, "read");
    this.files = files.map((file, at) => ({ ...file, path: this.#write(file, at) }));
  }

  #write(file: InputFile, at: number): string {
    const name = path.join(this.folder, `${at}.${file.format}`);
    writeFileSync(name, textOf(file));
    return name;
  }

  [Symbol.dispose](): void {
    this.record.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  breaks(all: readonly string[]): void {
    const found = all.filter((each) => this.#only.test(each));
    this.broken.push(...found);
    for (const each of found) this.log.push(`    BROKEN: ${each}`);
  }

  /** Imports a file, and compares what is told with the reference as soon as the process has ended. */
  async import(command: ImportCommand): Promise<Ran> {
    const { files, shop, reference } = this;
    const { store } = shop;
    const file = files[command.file % files.length];
    if (file === undefined) throw new Error("no file");
    const flags = flagsOf[command.how];
    if (!("checkUnknown" in flags)) {
      reference.ran(store, file.rows);
      this.given.set(store, (this.given.get(store) ?? new Set()).add(files.indexOf(file)));
    }
    const results = path.join(this.folder, `results-${(this.#runs += 1)}.ndjson`);
    const hasKeys = file.rows.some(({ key }) => key);
    const { concurrency } = command;
    const key = hasKeys ? { key: "chip" } : {};
    const text = textOf(file);
    const by = "again" in flags ? "again" : "retryUnknown" in flags ? "retry" : "plain";
    const options = { ...flags, ...key, from: file.path, results, concurrency };
    // A run with --again tells of its own sends alone.
    if (by === "again") this.#anew.add(text);
    const ran = await this.process({ ...command, by, text }, (context) =>
      program.add(context, options),
    );
    const told = ran.exit === undefined ? [] : resultsOf(results, file);
    this.log.push(`  ${inALine(command)}: ${ran.exit ?? "killed"} ${outcomesIn(told)}`);
    if (ran.error !== undefined) this.log.push(`    ${errorMessage(ran.error)}`);
    if (ran.exit === undefined) return { ...ran, results: [] };
    if (ran.exit === 0) this.breaks(reference.missing(file.rows, shop.pets()));
    this.breaks(reference.untrue(told, store));
    if (told.length > 0 && !this.#anew.has(text)) this.breaks(reference.untold(told, store, text));
    this.breaks(reference.untrue(linesOf(ran.stdout, file), store));
    return { ...ran, results: told };
  }

  /** Runs a step as a process of its own. */
  async process(
    { fates = [], by = "plain", text = "", trouble }: Partial<ImportCommand & Sender>,
    work: (context: Context) => Promise<void>,
  ) {
    const sends: Send[] = [];
    const doubt = (): void => {
      for (const send of sends) send.isDoubtful = true;
    };
    // Others see at once that it is dead.
    const process = new TestProcess(trouble, doubt);
    const stdout = recordOutput();
    const client = clientOf(this.shop, process, { fates, by, file: text, sends });
    const context = contextOf(this, stdout, client);
    const [end] = await Promise.allSettled([inTime(process.run(() => work(context)))]);
    if (process.isDead || process.isFull) doubt();
    const error: unknown = end.status === "rejected" ? end.reason : undefined;
    const exit = process.isDead ? undefined : exitOf(error);
    if (exit === "internal") this.breaks([`internal error: ${errorMessage(error)}`]);
    return { exit: exit === "internal" ? 1 : exit, error, stdout: stdout.text };
  }

  /** Returns all rows that are recorded, and compares stores and record with the reference. */
  compare(): readonly ToldRow[] {
    const { reference, shop } = this;
    const recorded = this.recorded();
    for (const store of new Set([shop.store, ...this.given.keys()]))
      this.breaks(reference.tooMany(store));
    this.breaks(reference.unrecorded(recorded));
    return recorded;
  }

  recorded(): readonly ToldRow[] {
    return program.recorded(this.record).flatMap((record) => this.#rowsOf(record));
  }

  #rowsOf({ name, rows }: ReturnType<typeof program.recorded>[number]): readonly ToldRow[] {
    const file = this.files.find((each) => each.path === name);
    return rows.flatMap(({ number, outcome, pet }) => {
      const row = file?.rows[number];
      return row ? [{ row, outcome, ...(pet !== null && { id: pet }) }] : [];
    });
  }

  async forget(place: number): Promise<void> {
    const { reference, shop } = this;
    const imports = program.recorded(this.record);
    const chosen = imports[place % imports.length];
    if (chosen === undefined) return;
    const { exit } = await this.process({}, (context) => program.forget(context, chosen.id));
    if (exit !== 0) this.breaks([`forget ended with ${exit}`]);
    const names = this.#rowsOf(chosen)
      .filter(isIn("added", "unknown"))
      .map(({ row }) => nameOf(row));
    for (const store of new Set([shop.store, ...this.given.keys()])) reference.freed(store, names);
  }

  /** Another store responds from now on. What no store is known of may be taken for its own. */
  replace(): void {
    const { reference, shop } = this;
    const isOpen = ({ isDoubtful, isKept, store }: Send) =>
      isDoubtful && isKept && store === shop.store;
    reference.freed(shop.store, reference.sends.filter(isOpen).map(nameOf));
    shop.store = shop.store === "store-1" ? "store-2" : "store-1";
  }

  /** Gives all files once more until nothing changes: then nothing may be missing, left or in doubt without need. */
  async settle(): Promise<void> {
    const { clock, reference, files, shop } = this;
    clock.advance(120_000);
    this.log.push("  settling");
    const given = [...(this.given.get(shop.store) ?? [])];
    let ends: (Ran & { file: number })[] = [];
    for (let round = 0, sends = -1; sends !== reference.sends.length && round < 9; round += 1) {
      sends = reference.sends.length;
      if (this.recorded().some(({ outcome }) => outcome === "unknown")) await this.check();
      ends = [];
      for (const file of given) ends.push({ ...(await this.import(plainly(file))), file });
    }
    const recorded = this.compare();
    for (const end of ends) this.breaks(this.#unsettled(end, recorded));
    this.breaks(reference.unsettled(recorded, shop.store));
    const left = ends.map(({ file }) => files[file]?.rows ?? []);
    if (left.length > 0 && this.broken.length > 0) this.log.push(`  at the end: ${this.#there()}`);
  }

  #there(): string {
    return this.shop
      .pets()
      .map(({ id, name, status }) => `${id} ${name} ${status}`)
      .join(", ");
  }

  /** Settles what is unknown of one import, or at every second place of all. */
  async check(trouble?: Trouble, place = Infinity): Promise<void> {
    const imports = program.recorded(this.record);
    const id = imports[place % (2 * imports.length)]?.id;
    const { exit } = await this.process({ trouble }, (context) => program.check(context, id));
    const isLeft = this.recorded().some(({ outcome }) => outcome === "unknown");
    const isTrue = exit === 8 ? isLeft : exit === 0 && (id !== undefined || !isLeft);
    const isSure = trouble === undefined && this.given.size < 2 && this.given.has(this.shop.store);
    if (isSure && !isTrue) this.breaks([`check ended with ${exit}, unknown rows left: ${isLeft}`]);
  }

  /** Returns what is wrong with how a file ended. */
  #unsettled({ exit, results, file }: Ran & { file: number }, recorded: readonly ToldRow[]) {
    const open = results.filter(isIn("not_sent", "unknown", "rejected"));
    const sure = results.filter((told) => !open.includes(told)).map(({ row }) => row);
    const unsure = open.filter(isIn("unknown")).filter(({ row }) => !this.#isStray(row, recorded));
    const left = open.filter(isIn("not_sent"));
    // Two rows that say what rows with other keys say: the keys seem to be others, and the user decides.
    const isOfOtherKeys = exit === 2 && results.filter(({ row }) => row.key).length > 1;
    if (isOfOtherKeys) return [];
    const isEnded = exit === 0 || (open.length > 0 && (exit === 8 || exit === 9));
    return [
      ...(isEnded ? [] : [`file ${file} ends with ${exit}`]),
      ...unsure.map(({ row }) => `${row.name} of file ${file} stays unknown`),
      ...left.map(({ row }) => `${row.name} of file ${file} is never sent`),
      ...this.reference.missing(sure, this.shop.pets(), `file ${file} is settled`),
    ];
  }

  /** Returns whether an animal of this name is there that no row has: which row added it may stay unknown. */
  #isStray(row: Pick<ToldRow["row"], "name">, recorded: readonly ToldRow[]): boolean {
    const ids = new Set(recorded.flatMap(({ outcome, id }) => (outcome === "added" && id) || []));
    const ofName = this.shop.pets().filter((pet) => nameOf(pet) === nameOf(row));
    return ofName.some(({ id }) => !ids.has(String(id)));
  }
}

const isIn =
  (...outcomes: readonly string[]) =>
  ({ outcome }: ToldRow): boolean =>
    outcomes.includes(outcome);

/** Returns an import of a file, with `--only-new` and without trouble unless it says otherwise. */
export const plainly = (file: number, more: Partial<ImportCommand> = {}): ImportCommand => ({
  type: "import",
  file,
  how: "onlyNew",
  fates: [],
  trouble: undefined,
  concurrency: 1,
  ...more,
});

function textOf({ format, rows }: InputFile): string {
  const hasKeys = rows.some(({ key }) => key);
  if (format === "ndjson")
    return rows
      .map(({ key, ...pet }) => `${JSON.stringify({ ...pet, categoryId: 1, chip: key })}\n`)
      .join("");
  const cells = rows.map(({ name, status = "", key = "" }) =>
    [`"${name}"`, "1", status, ...(hasKeys ? [key] : [])].join(),
  );
  return `${["name,categoryId,status" + (hasKeys ? ",chip" : ""), ...cells].join("\n")}\n`;
}

/** Returns what results tell of the rows of a file, none if there are none. */
function resultsOf(name: string, { rows }: InputFile): readonly ToldRow[] {
  if (!existsSync(name)) return [];
  const lines = readFileSync(name, "utf8").trimEnd().split("\n");
  return lines.flatMap((line, at) => {
    const { outcome, id } = JSON.parse(line) as { outcome: string; id?: number };
    const row = rows[at];
    return row ? [{ row, outcome, ...(id !== undefined && { id: String(id) }) }] : [];
  });
}

/** Returns what a run printed of the rows that it sent. */
function linesOf(text: string, { rows, format }: InputFile): readonly ToldRow[] {
  const first = format === "csv" ? 2 : 1;
  return text.split("\n").flatMap((line) => {
    if (line === "") return [];
    const told = JSON.parse(line) as { line: number; outcome: string; pet?: { id?: number } };
    const row = rows[told.line - first];
    const id = told.outcome === "added" ? String(told.pet?.id) : undefined;
    return row ? [{ row, outcome: told.outcome, ...(id !== undefined && { id }) }] : [];
  });
}

const outcomesIn = (told: readonly ToldRow[]): string =>
  told.map(({ row, outcome, id = "" }) => `${row.name}:${outcome}${id && `=${id}`}`).join(" ");

function exitOf(error: unknown): number | "internal" {
  if (error === undefined) return 0;
  return error instanceof Failure ? error.exitCode : "internal";
}

/** Rejects where a process never ends. */
async function inTime(work: Promise<void>): Promise<void> {
  const hangs = Promise.withResolvers<never>();
  const timer = setTimeout(() => hangs.reject(new Error("the process hangs")), hangsAfterMs);
  try {
    await Promise.race([work, hangs.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const silent = async (): Promise<void> => {};

/** Returns what a command gets to work with: real files and a real record, and a service in this process. */
function contextOf(
  { state, clock }: World,
  stdout: ReturnType<typeof recordOutput>,
  client: ReturnType<typeof clientOf>,
): Context {
  const limiter = { status: () => ({ now: clock.now() }), backoffMs: 0, shareFairly() {} };
  const connection = { baseUrl, apiKey: "key-of-histories-1234" };
  const context: unknown = {
    argv: ["add"],
    env: {},
    stdin: { isTTY: false, async *[Symbol.asyncIterator]() {} },
    stdout,
    stderr: recordOutput(),
    clock,
    machine: testMachine(clock),
    random: () => 0.5,
    signal: new AbortController().signal,
    interceptSignals: () => () => {},
    exitNow() {},
    atExit: () => () => {},
    program: { platform: "linux" },
    settings,
    folders: { config: `${state}/config`, data: `${state}/data`, cache: `${state}/cache`, state },
    secrets: new Secrets(),
    note: silent,
    warn: silent,
    print: silent,
    service: {
      connection: async () => connection,
      settings: async () => settings,
      target: async () => connection,
      limiter: async () => limiter,
      api: async (overrides = {}) => client(overrides),
    },
  };
  return context as Context;
}

/** Plays a history. `only`: what a message must match to count. Returns what is broken, and what happened. */
export async function playHistory(history: History, only = /^/) {
  using stack = new DisposableStack();
  stack.use(watchProcesses());
  using world = new World(history, only);
  for (const command of history.commands) {
    if (command.type === "import") await world.import(command);
    else if (command.type === "pair")
      await Promise.all([world.import(command.one), world.import(command.other)]);
    else await step(world, command);
    world.compare();
    if (world.broken.length > 0) break;
  }
  if (world.broken.length === 0) await world.settle();
  return { broken: world.broken, log: world.log };
}

type Step = Exclude<History["commands"][number], { type: "import" | "pair" }>;

async function step(world: World, command: Step): Promise<void> {
  world.log.push(`  ${inALine(command)}`);
  if (command.type === "forget") return world.forget(command.place);
  if (command.type === "check") return world.check(command.trouble, command.place);
  if (command.type === "advance") return world.clock.advance(command.ms);
  if (command.type === "jump") return world.clock.jump(command.ms);
  world.replace();
}

export interface HistoryOptions {
  readonly numRuns: number;
  readonly seed: number;
  /** Replays the history that a run ended with. */
  readonly path?: string;
  /** Kinds of commands and fates that do not come. */
  readonly without?: readonly Kind[];
  /** What a message must match to count. */
  readonly only?: RegExp;
}

/** Plays random histories. Returns the shortest broken one in words, with the seed and path that play it again. */
export async function runHistories({ without = [], only, ...parameters }: HistoryOptions) {
  const property = fc.asyncProperty(anyHistory(new Set(without)), async (history) => {
    const { broken } = await playHistory(history, only);
    if (broken.length > 0) throw new Error(broken[0]);
  });
  const found = await fc.check(property, parameters);
  const [history] = found.counterexample ?? [];
  if (history === undefined) return undefined;
  const { broken, log } = await playHistory(history, only);
  const { seed, counterexamplePath } = found;
  const words = [
    `seed ${seed}, path ${counterexamplePath}: ${describeHistory(history)}`,
    ...log,
  ].join("\n");
  return { history, broken, words };
}
