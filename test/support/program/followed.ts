import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { onTestFinished } from "vitest";
import { type Finished, finished, type RunOptions, startPets } from "./program.ts";

/** A run of the built program that is watched while it lasts. */
export interface Followed {
  readonly child: ChildProcessWithoutNullStreams;
  readonly end: Promise<Finished>;
  /** Resolves once its standard error matches; rejects if it ends before. */
  saw(pattern: RegExp): Promise<void>;
}

/** Starts the built program, and follows its standard error; it is killed at the end of the test. */
export function followPets(args: readonly string[], options: RunOptions): Followed {
  const child = startPets(args, options);
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => {}).end(options.input ?? "");
  const end = finished(child);
  let stderr = "";
  let lookAgain: (() => void)[] = [];
  child.stderr.on("data", (text: string) => {
    stderr += text;
    for (const look of lookAgain) look();
  });
  const saw = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!pattern.test(stderr)) return;
        lookAgain = lookAgain.filter((other) => other !== look);
        resolve();
      };
      lookAgain.push(look);
      void end.then((run) => reject(new Error(`ended before ${pattern}: ${JSON.stringify(run)}`)));
      look();
    });
  return { child, end, saw };
}
