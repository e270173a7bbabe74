import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";

const atATime = 24;
/** How long all may take, in ms; a banned key would stop them for ten minutes. */
const maxMs = 60_000;

/** A process to run. */
export interface Client {
  readonly command: readonly string[];
  readonly env: Record<string, string>;
}

/** How a process ended: `unfinished` if it was not done in time. */
export type Outcome = number | "killed" | "unfinished";

/** Runs all `clients`, kills a random one after each of these times, in ms, and returns how each ended, in order. */
export async function runClients(
  clients: readonly Client[],
  killsAfter: readonly number[] = [],
): Promise<readonly Outcome[]> {
  const running = new Set<ChildProcess>();
  const killed = new Set<ChildProcess>();
  let isOver = false;
  const killOne = (): void => {
    const living = [...running].filter((child) => !killed.has(child));
    const victim = living[Math.floor(Math.random() * living.length)];
    if (victim?.kill("SIGKILL")) killed.add(victim);
  };
  const timers = killsAfter.map((ms) => setTimeout(killOne, ms));
  timers.push(
    setTimeout(() => {
      isOver = true;
      for (const child of running) child.kill("SIGKILL");
    }, maxMs),
  );

  const run = async ({ command: [file = "", ...words], env }: Client): Promise<Outcome> => {
    if (isOver) return "unfinished";
    const child = spawn(file, words, { env, stdio: "ignore" });
    running.add(child);
    // The store must not starve, as it would on few processors.
    setPriority(child.pid ?? 0, 10);
    const [code] = (await once(child, "close")) as [number | null];
    running.delete(child);
    if (code === null) return killed.has(child) ? "killed" : "unfinished";
    // It had ended by itself before the signal came.
    if (killed.has(child)) killOne();
    return code;
  };
  const queue = [...clients.entries()];
  const outcomes: Outcome[] = [];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      outcomes[next[0]] = await run(next[1]);
  };
  await Promise.all(Array.from({ length: atATime }, work));
  for (const timer of timers) clearTimeout(timer);
  return outcomes;
}
