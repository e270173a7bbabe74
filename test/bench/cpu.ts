import { spawnSync } from "node:child_process";

/** A command that is measured. */
export interface Measured {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Record<string, string>;
}

/** The first run fills the compile cache. */
const warmUps = 2;

/**
 * Runs the commands in turn, `rounds` times after some warm-ups, so that drift affects all equally. Returns, by name,
 * the CPU time (user and system) of each round in ms: the mean of `runs` consecutive runs.
 */
export function interleave(
  commands: readonly Measured[],
  rounds: number,
  runs: number,
): ReadonlyMap<string, number[]> {
  const samples = new Map<string, number[]>(commands.map(({ name }) => [name, []]));
  for (let round = 0; round < warmUps; round += 1)
    for (const measured of commands) cpuOf(measured, 1);
  for (let round = 0; round < rounds; round += 1) {
    for (const measured of commands) samples.get(measured.name)?.push(cpuOf(measured, runs));
  }
  return samples;
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

function cpuOf({ name, command, env }: Measured, runs: number): number {
  const { stderr, status } = spawnSync("bash", ["-c", script, "bash", String(runs), ...command], {
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${name} failed`);
  return stderr.split(" ").reduce((sum, seconds) => sum + (Number(seconds) * 1000) / runs, 0);
}
