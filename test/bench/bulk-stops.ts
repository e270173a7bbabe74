import { setTimeout as sleep } from "node:timers/promises";
import {
  compareFiles,
  Findings,
  isTaken,
  missingNames,
  type PetsFile,
  writeNames,
} from "./bulk-ledger.ts";
import { type Bench, type BenchRun, runProgram, startBench, startProgram } from "./bulk-support.ts";
import { petsCommand } from "./pets-command.ts";

const wantedStops = Number(process.env.STOPS ?? 60);
const rows = 1500;
/** A stop comes within so many ms of the start: half of them while an import is being prepared. */
const [preparedMs, maxLifeMs] = [400, 1500];
/** How long an import is stopped, in ms: longer than other commands wait for it. */
const [leastStopMs, mostStopMs] = [1000, 3000];
/** All is added, some may have been, or some are left to another import. */
const goodCodes = new Set<number | null>([0, 8, 9]);
/** How often an import that left rows is given again. */
const maxTurns = 6;

/**
 * Stops imports, and continues them after others have begun: one with half of the rows (or that began at the same time),
 * one of the same input, and a list of imports. Runs both files until nothing is left, then compares store, record and what was told.
 */
export async function measureStops(): Promise<readonly string[]> {
  await using bench = await startBench("enterprise", false);
  const findings = new Findings();
  const stops: boolean[] = [];
  for (let number = 0; stops.length < wantedStops; number += 1) {
    const files = writePair(bench, number);
    const stopped = await stopOne(bench, files, findings.falselyTold);
    if (stopped !== undefined) stops.push(stopped.isListed);
    for (const each of files) await finish(bench, each, findings.falselyTold);
    await compareFiles(bench, files, findings);
  }
  const begun = stops.filter(Boolean).length;
  const what = `${stops.length} stops of imports of ${rows} rows, ${begun} of them recorded`;
  console.log(`${what}: ${findings.unknown} rows unknown, ${findings.summary()}`);
  return findings.all();
}

type Pair = readonly [first: PetsFile, second: PetsFile];

/** Writes two files, of which the second has half of the rows of the first. */
function writePair(bench: Bench, number: number): Pair {
  const names = (from: number): readonly string[] =>
    Array.from({ length: rows }, (_none, at) => `Pet ${number}-${from + at}`);
  return [
    writeNames(bench, `${number}-first`, names(0)),
    writeNames(bench, `${number}-second`, names(rows / 2)),
  ];
}

const commandOf = ({ file }: PetsFile, option = "--only-new") =>
  [...petsCommand, "add", "--from", file, option, "-q"] as const;

/** Stops an import, and starts others; returns whether it was recorded then, or undefined if it had ended before. */
async function stopOne(bench: Bench, [first, second]: Pair, wrong: string[]) {
  const { env } = bench;
  const startOther = (): Promise<BenchRun> => importOnce(bench, second, wrong);
  const early = Math.random() < 0.5 ? startOther() : undefined;
  const { child, ended } = startProgram(commandOf(first), env);
  await sleep((Math.random() < 0.5 ? preparedMs : maxLifeMs) * Math.random());
  const isStopped = child.exitCode === null && child.kill("SIGSTOP");
  const others = Promise.all([
    importOnce(bench, first, wrong),
    early ?? startOther(),
    runProgram([...petsCommand, "imports", "--json"], env, true),
  ]);
  await sleep(leastStopMs + (mostStopMs - leastStopMs) * Math.random());
  child.kill("SIGCONT");
  const [same, other, list] = await others;
  judge([await ended, same], other, wrong);
  if (list.code !== 0) wrong.push(saidOf("the list of imports", list));
  return isStopped ? { isListed: list.stdout.includes(first.file) } : undefined;
}

/** Imports a file beside others: where it ends with 0, all of its animals are there at once. */
async function importOnce(bench: Bench, file: PetsFile, wrong: string[]): Promise<BenchRun> {
  const run = await runProgram(commandOf(file), bench.env);
  const missing = run.code === 0 ? missingNames(bench, file) : [];
  if (missing.length > 0)
    wrong.push(`${file.file} ended with 0, and ${missing.length} of its animals are not there`);
  return run;
}

/** Judges how two imports of one input ended, of which one may have been refused, and that of another input. */
function judge(same: readonly BenchRun[], other: BenchRun, wrong: string[]): void {
  const refused = same.filter(isTaken);
  if (refused.length === same.length) wrong.push("both imports of one input were refused");
  for (const each of [...same, other])
    if (!refused.includes(each) && !goodCodes.has(each.code))
      wrong.push(saidOf("an import beside a stopped one", each));
}

/** Imports a file until nothing of it is left, and looks up what may have been added. */
async function finish({ env }: Bench, file: PetsFile, wrong: string[]): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const option = turn % 2 === 0 ? "--only-new" : "--check-unknown";
    const run = await runProgram(commandOf(file, option), env);
    if (run.code === 0) return;
    if (goodCodes.has(run.code) && turn < maxTurns) continue;
    wrong.push(saidOf(file.file, run));
    return;
  }
}

const saidOf = (what: string, { code, stderr }: BenchRun): string =>
  `${what} ended with ${code}: ${stderr.trim()}`;
