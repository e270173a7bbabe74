import { writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Bench, type BenchRun, runProgram } from "./bulk-support.ts";
import { petsCommand } from "./pets-command.ts";

/** A file to import; no name comes twice in it. */
export interface PetsFile {
  readonly file: string;
  readonly names: readonly string[];
}

/** Writes a file of animals with these names. */
export function writeNames(
  { folder }: Pick<Bench, "folder">,
  title: string,
  names: readonly string[],
): PetsFile {
  const file = path.join(folder, `${title}.csv`);
  writeFileSync(file, `name,category\n${names.map((name) => `${name},7\n`).join("")}`);
  return { file, names };
}

/** Returns whether an import was refused because another process had its input. */
export const isTaken = ({ code, stderr }: Pick<BenchRun, "code" | "stderr">): boolean =>
  code === 2 && stderr.includes("another process is working on the import of");

/** What the list of imports says of one. */
interface ListedImport {
  readonly id: number;
  readonly input: string;
  readonly rows: number;
  readonly added: number;
  readonly rejected: number;
  readonly invalid: number;
  readonly unknown: number;
  readonly left: number;
}

/** What is recorded of one row; `id` is empty where none is. */
interface ShownRow {
  readonly outcome: string;
  readonly id: string;
}

/** What is wrong, each in words. */
export class Findings {
  readonly doubled: string[] = [];
  readonly lost: string[] = [];
  readonly falselyTold: string[] = [];
  /** How many rows may have been added, by their record. */
  unknown = 0;

  summary(): string {
    const { doubled, lost, falselyTold } = this;
    return `${doubled.length} doubled, ${lost.length} lost, ${falselyTold.length} falsely told`;
  }

  all(): readonly string[] {
    const { doubled, lost, falselyTold } = this;
    return [
      ...doubled.map((each) => `doubled: ${each}`),
      ...lost.map((each) => `lost: ${each}`),
      ...falselyTold.map((each) => `falsely told: ${each}`),
    ];
  }
}

/**
 * Compares files, each of which was imported until its command ended with 0, with the animals of the store and with what
 * is recorded. Names may be in several of the files, but in no other.
 */
export async function compareFiles(
  bench: Bench,
  files: readonly PetsFile[],
  findings: Findings,
): Promise<void> {
  const animals = storedAnimals(bench);
  const imports = await listedImports(bench);
  const outcomes = new Map<string, string[]>();
  for (const each of files) {
    const records = imports.filter(({ input }) => input === each.file);
    if (records.length === 0) findings.lost.push(`the record of ${each.file}`);
    if (records.length > 1) findings.falselyTold.push(`${each.file} has ${records.length} records`);
    for (const record of records) {
      const shown = await shownRows(bench, record.id);
      compareCounts(record, each, shown, findings);
      for (const [at, name] of each.names.entries()) {
        const row = shown[at];
        outcomes.set(name, [...(outcomes.get(name) ?? []), row?.outcome ?? "none"]);
        if (!isTrue(row, animals.get(name) ?? []))
          findings.falselyTold.push(`${name} of ${each.file}: ${row?.outcome} ${row?.id}`);
      }
    }
  }
  for (const name of new Set(files.flatMap(({ names }) => names)))
    compareAnimal(name, animals.get(name) ?? [], outcomes.get(name), findings);
}

/** Compares what the list says of an import with its rows, of which none may be left. */
function compareCounts(
  record: ListedImport,
  { file, names }: PetsFile,
  shown: readonly ShownRow[],
  findings: Findings,
): void {
  const count = (outcome: string): number => shown.filter((row) => row.outcome === outcome).length;
  const told = { rows: names.length, added: count("added"), unknown: count("unknown") };
  const wanted = { ...told, rejected: 0, invalid: 0, left: 0 };
  for (const [field, number] of Object.entries(wanted) as [keyof typeof wanted, number][])
    if (record[field] !== number)
      findings.falselyTold.push(`${file}: ${field} ${record[field]} in the list, not ${number}`);
}

/** Returns whether a row is as its record says; `there` has the ids of the store's animals with its name. */
function isTrue(row: ShownRow | undefined, there: readonly string[]): boolean {
  if (row?.outcome === "added") return there.includes(row.id);
  if (row?.outcome === "known") return row.id === "" ? there.length > 0 : there.includes(row.id);
  return row?.outcome === "unknown";
}

/** Compares the animals of a name with the outcomes of its row in each import that has a record. */
function compareAnimal(
  name: string,
  there: readonly string[],
  outcomes: readonly string[] | undefined,
  findings: Findings,
): void {
  if (there.length > 1) findings.doubled.push(`${name}, ${there.length} times`);
  const isUnknown = outcomes?.includes("unknown") === true;
  if (isUnknown) findings.unknown += 1;
  else if (there.length === 0) findings.lost.push(name);
  else if (outcomes !== undefined && there.length === 1) {
    const added = outcomes.filter((outcome) => outcome === "added").length;
    if (added !== 1)
      findings.falselyTold.push(`${name} was added by ${added} imports: ${outcomes.join(", ")}`);
  }
}

/** Returns the names of a file that no animal of the store has. */
export function missingNames(bench: Bench, { names }: PetsFile): readonly string[] {
  const animals = storedAnimals(bench);
  return names.filter((name) => !animals.has(name));
}

/** Returns the ids of the store's animals by their names. */
function storedAnimals({ data }: Bench): ReadonlyMap<string, readonly string[]> {
  using database = new DatabaseSync(data, { readOnly: true, timeout: 5000 });
  const query = "SELECT json_extract(json, '$.name') AS name, CAST(id AS TEXT) AS id FROM pets";
  const pets = database.prepare(query).all() as { name: string; id: string }[];
  const byName = Map.groupBy(pets, ({ name }) => name);
  return new Map(Array.from(byName, ([name, same]) => [name, same.map(({ id }) => id)]));
}

/** Returns what `pets imports` says. */
async function listedImports({ env }: Bench): Promise<readonly ListedImport[]> {
  const { code, stdout, stderr } = await runProgram(
    [...petsCommand, "imports", "--json"],
    env,
    true,
  );
  if (code !== 0) throw new Error(`pets imports ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as ListedImport[];
}

/** Returns what `pets imports show` says of each row, in their order. */
async function shownRows({ env }: Bench, id: number): Promise<readonly ShownRow[]> {
  const words = ["imports", "show", String(id), "-o", "csv"];
  const { stdout } = await runProgram([...petsCommand, ...words], env, true);
  return stdout
    .split("\r\n")
    .slice(1, -1)
    .map((line) => {
      const [, outcome = "", animal = ""] = line.split(",");
      return { outcome, id: animal };
    });
}
