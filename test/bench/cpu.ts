import { spawnSync } from "node:child_process";

/** A command that is measured. */
export interface Measured {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Record<string, string>;
}

/** Runs of one command: CPU time (user and system) of each, in ms. */
export type Samples = ReadonlyMap<string, number[]>;

/** Runs the commands in turn, `rounds` times after one warm-up, so that a drift meets all alike. */
export function interleave(commands: readonly Measured[], rounds: number): Samples {
  const samples = new Map<string, number[]>(commands.map(({ name }) => [name, []]));
  for (const measured of commands) cpuOf(measured);
  for (let round = 0; round < rounds; round += 1) {
    for (const measured of commands) samples.get(measured.name)?.push(cpuOf(measured));
  }
  return samples;
}

/** The median of `numbers`. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** CPU time of one run in ms: bash tells its children's to the millisecond, sh to the hundredth. */
function cpuOf({ name, command, env }: Measured): number {
  const script = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1';
  const { stderr, status } = spawnSync("bash", ["-c", script, "bash", ...command], {
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${name} failed`);
  return stderr.split(" ").reduce((sum, seconds) => sum + Number(seconds) * 1000, 0);
}
