import type { ChildProcess } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { compareFiles, Findings, isTaken, type PetsFile, writeNames } from "./bulk-ledger.ts";
import { type Bench, type BenchRun, startBench, startProgram } from "./bulk-support.ts";
import { petsCommand } from "./pets-command.ts";

const wantedStarts = Number(process.env.STARTS ?? 500);
const filesPerRound = 24;
const rowsPerFile = 4;
const atOnce = 12;
/** Processes pause for so many ms at most at random moments, so many at a time, as they do on a busy machine. */
const [mostPauseMs, pausedAtOnce] = [Number(process.env.PAUSE_MS ?? 60), 4];
/** How often an import that left rows to another one is given again. */
const maxTurns = 5;

/** A start of an import, and how it ended. */
interface Ended extends Pick<BenchRun, "code" | "stderr"> {
  readonly of: PetsFile;
}

/** Starts the imports of these files side by side. */
type Start = (files: readonly PetsFile[], ...options: readonly string[]) => Promise<Ended[]>;

type Round = (start: Start, files: readonly PetsFile[], wrong: string[]) => Promise<void>;

/**
 * What a round does with its files: each one once; each one, and all of them once more; pairs that have rows in common; or
 * each one twice at once.
 */
const rounds: readonly Round[] = [onceEach, onceMore, inPairs, twiceEach];

/** Starts imports side by side in one home, as `xargs -P` does, and compares store, record and what was told. */
export async function measureStarts(): Promise<readonly string[]> {
  await using bench = await startBench("enterprise", false);
  const findings = new Findings();
  const starts: number[] = [];
  for (let number = 0; sum(starts) < wantedStarts; number += 1) {
    const round = rounds[number % rounds.length] ?? onceEach;
    const files = writeRound(bench, number, round === inPairs);
    const start: Start = (these, ...options) => {
      starts.push(these.length);
      return startTogether(bench, these, options);
    };
    await round(start, files, findings.falselyTold);
    await compareFiles(bench, files, findings);
  }
  const what = `${sum(starts)} starts of ${filesPerRound} files, ${atOnce} at a time`;
  console.log(`${what}: ${findings.summary()}`);
  return findings.all();
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

/** Writes the files of a round; of pairs the second file begins with the second half of the first. */
function writeRound(bench: Bench, round: number, isPairs: boolean): readonly PetsFile[] {
  return Array.from({ length: filesPerRound }, (_none, at) => {
    const names = Array.from({ length: rowsPerFile }, (_row, row) => {
      const isShared = isPairs && at % 2 === 1 && row < rowsPerFile / 2;
      return isShared
        ? `Pet ${round}-${at - 1}-${row + rowsPerFile / 2}`
        : `Pet ${round}-${at}-${row}`;
    });
    return writeNames(bench, `${round}-${at}`, names);
  });
}

async function onceEach(start: Start, files: readonly PetsFile[], wrong: string[]): Promise<void> {
  for (const each of await start(files)) if (each.code !== 0) wrong.push(saidOf(each));
}

async function onceMore(start: Start, files: readonly PetsFile[], wrong: string[]): Promise<void> {
  await onceEach(start, files, wrong);
  await onceEach(start, files, wrong);
}

/** A row that the other one of a pair is still to send is left to it. */
async function inPairs(start: Start, files: readonly PetsFile[], wrong: string[]): Promise<void> {
  let left = files;
  for (let turn = 0; left.length > 0; turn += 1) {
    const ended = await start(left, "--only-new");
    const isGivenAgain = ({ code }: Ended): boolean => code === 9 && turn < maxTurns;
    for (const each of ended) if (each.code !== 0 && !isGivenAgain(each)) wrong.push(saidOf(each));
    left = ended.filter(isGivenAgain).map(({ of }) => of);
  }
}

/** One of both is refused, or finds nothing left. */
async function twiceEach(start: Start, files: readonly PetsFile[], wrong: string[]): Promise<void> {
  const ended = await start(files.flatMap((each) => [each, each]));
  for (const both of Map.groupBy(ended, ({ of }) => of).values()) {
    const isSent = both.some(({ code }) => code === 0);
    for (const each of both) {
      if (each.code !== 0 && !(isSent && isTaken(each))) wrong.push(saidOf(each));
    }
  }
}

const saidOf = ({ of, code, stderr }: Ended): string =>
  `${of.file} ended with ${code}: ${stderr.trim()}`;

/** Runs the import of each file, `atOnce` at a time, to its end. */
async function startTogether(
  { folder, env }: Bench,
  files: readonly PetsFile[],
  options: readonly string[],
): Promise<Ended[]> {
  const report = (at: number): string => path.join(folder, `start-${at}`);
  const lines = files.map(({ file }, at) => {
    const words = [report(at), ...petsCommand, "add", "--from", file, "-q", ...options];
    return words.map((word) => `"${word}"`).join(" ");
  });
  const list = path.join(folder, "starts");
  writeFileSync(list, `${lines.join("\n")}\n`);
  const each = 'report=$1; shift; "$@" >"$report.out" 2>"$report.err"; echo $? >"$report.code"';
  const limits = ["-a", list, "-P", `${atOnce}`, "-L", "1"];
  const { child, ended } = startProgram(["xargs", ...limits, "sh", "-c", each, "sh"], env);
  const pausing = Array.from({ length: mostPauseMs > 0 ? pausedAtOnce : 0 }, () =>
    pauseSome(child),
  );
  const { code, stderr } = await ended;
  await Promise.all(pausing);
  if (code !== 0) throw new Error(`xargs ended with ${code}: ${stderr}`);
  return files.map((of, at) => ({
    of,
    code: Number(readFileSync(`${report(at)}.code`, "utf8")),
    stderr: readFileSync(`${report(at)}.err`, "utf8"),
  }));
}

/** Pauses the imports of an `xargs` until it has ended. */
async function pauseSome(xargs: ChildProcess): Promise<void> {
  while (xargs.exitCode === null && xargs.signalCode === null) {
    const imports = childrenOf(xargs.pid).flatMap(childrenOf);
    const pid = imports[Math.floor(imports.length * Math.random())];
    if (pid !== undefined && signal(pid, "SIGSTOP")) {
      await sleep(mostPauseMs * Math.random());
      signal(pid, "SIGCONT");
    }
    await sleep(2);
  }
}

/** Returns the processes that a process has started, as long as it is there. */
function childrenOf(pid: number | undefined): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return (text.match(/\d+/g) ?? []).map(Number);
  } catch {
    return [];
  }
}

/** Returns whether a process was there to be signalled. */
function signal(pid: number, name: "SIGSTOP" | "SIGCONT"): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
