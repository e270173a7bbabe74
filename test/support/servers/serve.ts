import { createInterface } from "node:readline";
import { cleanEnv, finished, startPets } from "../program/program.ts";
import { whenFinished } from "../program/when-finished.ts";

/** The one line of `pets serve --json` (`help store`). */
export interface Ready {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly plan: string;
  readonly keys: readonly { readonly apiKey: string; readonly plan: string }[];
  readonly data: string;
  readonly pid: number;
  readonly page?: string;
}

export type Served = Awaited<ReturnType<typeof serve>>;

/**
 * Starts `pets serve --json` with these arguments on a free port, and waits until it is ready; it is killed
 * when the test ends. Rejects with its output if it ends before it is ready.
 */
export async function serve(words: readonly string[], env = cleanEnv()) {
  const child = startPets(["serve", "--json", "--port", "0", ...words], { env });
  whenFinished(() => void child.kill("SIGKILL"));
  let told = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (told += text));
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on("line", (text) => lines.push(text));
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  await Promise.race([new Promise((resolve) => reader.once("line", resolve)), ended]);
  const [line] = lines;
  if (line === undefined) throw new Error(`pets serve is not ready: ${told}`);
  const ready: Ready = JSON.parse(line);
  return {
    child,
    ready,
    /** The lines on its standard output so far. */
    lines,
    /** What it has written to standard error so far. */
    told: () => told,
    /** Its exit code; null if a signal ended it. */
    ended,
  };
}

/** Starts `pets serve` on a free port; returns what it printed first. It is killed when the test ends. */
export async function serveForPeople(words: readonly string[], env = cleanEnv()) {
  const child = startPets(["serve", "--port", "0", ...words], { env });
  whenFinished(() => void child.kill("SIGKILL"));
  const done = finished(child);
  const text = await new Promise<string>((resolve) => child.stdout.once("data", resolve));
  return { child, text, done };
}
