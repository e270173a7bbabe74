import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { type Bench, runProgram, startBench } from "./bulk-support.ts";
import { petsCommand } from "./pets-command.ts";

const kills = Number(process.env.KILLS ?? 200);
const rows = 3000;
const maxLifeMs = 1500;
/** How an import ends of which all rows were added, or may have been. */
const goodCodes = new Set<number | null>([0, 8, 9]);

/** A moment to kill a process at: any, while results are written, or while the log is written back to the record. */
const moments = ["random", "random", "results", "checkpoint"] as const;

/** Kills imports and resumes them, then compares store, results and record row by row. */
export async function measureKills(): Promise<readonly string[]> {
  await using bench = await startBench("enterprise", false);
  const counts: Record<string, number> = {};
  const { said, wrong } = await resumeImports(bench, rows, kills, async (words) => {
    const hit = await runAndKill(bench, words);
    if (hit !== undefined) counts[hit] = (counts[hit] ?? 0) + 1;
    return hit !== undefined;
  });
  const how = Object.entries(counts).map(([moment, count]) => `${count} ${moment}`);
  console.log(`kills (${how.join(", ")}): ${said}`);
  return wrong;
}

/**
 * Runs imports of `count` rows, each until `end` does not end it early any more, so many times in all; then compares.
 * Results that are there must be whole each time.
 */
export async function resumeImports(
  bench: Bench,
  count: number,
  times: number,
  end: (words: readonly string[]) => Promise<boolean>,
) {
  const wrong: string[] = [];
  let [done, imports, unknown] = [0, 0, 0];
  while (done < times) {
    imports += 1;
    const words = writeImport(bench, imports, count);
    while (done < times && (await end(words))) {
      done += 1;
      wrong.push(...tornResults(bench, imports, count));
    }
    const { code, stderr } = await runProgram([...petsCommand, ...words], bench.env, true);
    if (!goodCodes.has(code)) wrong.push(`ended with ${code}: ${stderr}`);
    const compared = await compareImport(bench, imports, count);
    unknown += compared.unknown;
    wrong.push(...compared.wrong);
  }
  const said = `${done} times, ${imports} imports of ${count} rows: ${unknown} rows unknown, ${wrong.length} wrong`;
  return { said, wrong };
}

/** Writes the input of an import, and returns its command. */
function writeImport({ folder }: Bench, number: number, count: number): readonly string[] {
  const file = path.join(folder, `${number}.csv`);
  const lines = Array.from({ length: count }, (_none, at) => `Pet ${number}-${at},${at}\n`);
  writeFileSync(file, `name,category\n${lines.join("")}`);
  return ["add", "--from", file, "--results", resultsOf(folder, number), "-q"];
}

const resultsOf = (folder: string, number: number): string =>
  path.join(folder, `results-${number}.csv`);

/** Returns what is wrong with the results of an import that was ended early: they are whole or not there. */
function tornResults({ folder }: Bench, number: number, count: number): readonly string[] {
  const file = resultsOf(folder, number);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  const isWhole = lines.length === count + 2 && lines.at(-1) === "";
  return isWhole ? [] : [`${file} is torn: ${lines.length - 1} of ${count + 1} lines`];
}

/** Runs an import, and kills it at a random one of the moments; returns at which, or undefined if it ended before. */
async function runAndKill({ folder, env }: Bench, words: readonly string[]) {
  const moment = moments[Math.floor(Math.random() * moments.length)] ?? "random";
  const [node, script] = petsCommand;
  const child = spawn(node, [script, ...words], { env, stdio: "ignore" });
  const ended = once(child, "close") as Promise<[number | null, string | null]>;
  const record = path.join(folder, ".local/state/pets/imports.db");
  const isWriting = (): boolean =>
    unfinished(folder).some((name) => (statSync(name, { throwIfNoEntry: false })?.size ?? 0) > 0);
  const writtenAt = (): number => statSync(record, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const before = writtenAt();
  const isChecked = (): boolean => before > 0 && writtenAt() > before;
  const until = Date.now() + (moment === "random" ? maxLifeMs * Math.random() : 3 * maxLifeMs);
  const isIt = { random: () => false, results: isWriting, checkpoint: isChecked };
  while (Date.now() < until && child.exitCode === null && !isIt[moment]()) await sleep(1);
  if (moment !== "random") await sleep(3 * Math.random());
  const hit = isWriting()
    ? "while writing results"
    : moment === "checkpoint" && isChecked()
      ? "at a checkpoint"
      : "at random";
  child.kill("SIGKILL");
  const [, signal] = await ended;
  removeUnfinished(folder);
  return signal === "SIGKILL" ? hit : undefined;
}

/** Returns the files of results that are not whole. */
function unfinished(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => /^\.pets-[0-9a-f-]{36}$/.test(name));
  return names.map((name) => path.join(folder, name));
}

/** Removes what is left of results that were being written. */
export function removeUnfinished(folder: string): void {
  for (const name of unfinished(folder)) rmSync(name, { force: true });
}

/** Compares what the store has with the results and the record of an import, row by row. */
async function compareImport({ folder, data, env }: Bench, number: number, count: number) {
  const database = new DatabaseSync(data, { readOnly: true });
  const query = "SELECT json_extract(json, '$.name') AS name, id FROM pets WHERE name LIKE ?";
  const pets = database.prepare(query).all(`Pet ${number}-%`);
  database.close();
  const added = Map.groupBy(pets, ({ name }) => name);
  const list = await runProgram([...petsCommand, "imports", "--json"], env, true);
  const imports = JSON.parse(list.stdout) as { id: number; input: string }[];
  const id = imports.find(({ input }) => input === path.join(folder, `${number}.csv`))?.id;
  const show = [...petsCommand, "imports", "show", String(id), "-o", "csv"] as const;
  const shown = (await runProgram(show, env, true)).stdout.split("\r\n").slice(1, -1);
  const lines = readFileSync(resultsOf(folder, number), "utf8").split("\n").slice(1, -1);
  let unknown = 0;
  const wrong = Array.from({ length: count }, (_none, at) => {
    const name = `Pet ${number}-${at}`;
    const [, outcome, animal] = shown[at]?.split(",") ?? [];
    const there = added.get(name) ?? [];
    const isSame = lines[at]?.startsWith(`${name},${at},${outcome},${animal},`) === true;
    const isTrue =
      outcome === "added"
        ? there.length === 1 && String(there[0]?.id) === animal
        : outcome === "unknown" && there.length <= 1;
    if (outcome === "unknown") unknown += 1;
    return isSame && isTrue ? [] : [`${name}: ${shown[at]}, ${lines[at]}, ${there.length} there`];
  });
  const extra = lines.length === count ? [] : [`${lines.length} results`];
  return { unknown, wrong: [...extra, ...wrong.flat()] };
}
