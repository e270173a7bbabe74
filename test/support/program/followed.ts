import { onTestFinished, vi } from "vitest";
import { type Finished, finished, type RunOptions, startPets } from "./program.ts";

/** Starts the built program, and follows its standard error; it is killed at the end of the test. */
export function followPets(args: readonly string[], options: RunOptions) {
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
  /** Resolves once standard error matches; rejects if the program ends before. */
  const saw = (pattern: RegExp) =>
    vi.waitUntil(() => isSeen(pattern), { timeout: 60_000, interval: 10 });
  return { child, end, saw };
}
