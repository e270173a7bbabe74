import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { onTestFinished, vi } from "vitest";
import { type Finished, finished, type RunOptions, startPets } from "./program.ts";

/** A run of the built program that is watched while it lasts. */
export interface Followed {
  readonly child: ChildProcessWithoutNullStreams;
  readonly end: Promise<Finished>;
  /** Resolves once its standard error matches; rejects if it ends before. */
  saw(pattern: RegExp): Promise<unknown>;
}

/** Starts the built program, and follows its standard error; it is killed at the end of the test. */
export function followPets(args: readonly string[], options: RunOptions): Followed {
  const child = startPets(args, options);
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => {}).end(options.input ?? "");
  let stderr = "";
  let run: Finished | undefined;
  child.stderr.on("data", (text) => (stderr += String(text)));
  const end = finished(child).then((ended) => (run = ended));
  const isSeen = (pattern: RegExp): boolean => {
    if (pattern.test(stderr)) return true;
    if (run === undefined) return false;
    throw new Error(`ended before ${pattern}: ${JSON.stringify(run)}`);
  };
  const saw = (pattern: RegExp) =>
    vi.waitUntil(() => isSeen(pattern), { timeout: 60_000, interval: 10 });
  return { child, end, saw };
}
