import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A command that is measured. */
export interface Measured {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Record<string, string>;
  /** Whether each run is like the first on its machine: with an empty compile cache. */
  readonly isCold?: boolean;
}

/** Runs of one command: CPU time (user and system) of each, in ms. */
export type Samples = ReadonlyMap<string, number[]>;

/** The first run fills the compile cache. */
const warmUps = 2;

/**
 * Runs the commands in turn, `rounds` times after some warm-ups, so that drift affects all equally. Each
 * time is the mean of `runs` consecutive runs; of one run for a cold command.
 */
export function interleave(commands: readonly Measured[], rounds: number, runs = 1): Samples {
  const samples = new Map<string, number[]>(commands.map(({ name }) => [name, []]));
  for (let round = 0; round < warmUps; round += 1)
    for (const measured of commands) cpuOf(measured, 1);
  for (let round = 0; round < rounds; round += 1) {
    for (const measured of commands) samples.get(measured.name)?.push(cpuOf(measured, runs));
  }
  return samples;
}

/** Prints the median of each command, and by how much it is over the first one in the same round, in ms. */
export function printOverFirst(samples: Samples, nameWidth: number): void {
  const [base = []] = samples.values();
  for (const [name, all] of samples) {
    const over = median(all.map((ms, round) => ms - (base[round] ?? Number.NaN)));
    console.log(
      name.padEnd(nameWidth) + median(all).toFixed(1).padStart(8) + over.toFixed(1).padStart(8),
    );
  }
}

/** Returns the median of `numbers`. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

// Both streams go to pipes that are read, as in scripts. The readers' time is not counted. bash reports
// the time of its children to the millisecond, sh to the hundredth of a second.
const script = `
exec 3> >(exec cat >/dev/null) 4> >(exec cat >/dev/null)
TIMEFORMAT="%U %S"
runs=$1
shift
time for ((; runs > 0; runs -= 1)); do "$@" >&3 2>&4 3>&- 4>&- || exit; done`;

/** Returns the CPU time (user and system) of a run in ms. */
function cpuOf({ name, command, env, isCold = false }: Measured, wanted: number): number {
  const runs = isCold ? 1 : wanted;
  const XDG_CACHE_HOME = isCold ? mkdtempSync(path.join(tmpdir(), "pets-bench-")) : undefined;
  const { stderr, status } = spawnSync("bash", ["-c", script, "bash", String(runs), ...command], {
    env: XDG_CACHE_HOME === undefined ? env : { ...env, XDG_CACHE_HOME },
    encoding: "utf8",
  });
  if (XDG_CACHE_HOME !== undefined) rmSync(XDG_CACHE_HOME, { recursive: true });
  if (status !== 0) throw new Error(`${name} failed`);
  return stderr.split(" ").reduce((sum, seconds) => sum + (Number(seconds) * 1000) / runs, 0);
}
