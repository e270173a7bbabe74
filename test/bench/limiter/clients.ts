import { type ChildProcess, spawn } from "node:child_process";
import { setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** A process to run. */
export interface Client {
  readonly command: readonly string[];
  readonly env: Record<string, string>;
}

/** How the processes are run. */
export interface ClientOptions {
  readonly atATime: number;
  /** The times, in ms, at which one random running process is killed. */
  readonly killsAfter: readonly number[];
  readonly random: () => number;
  /** The time, in ms, after which all running processes are killed and no more are started. */
  readonly mostMs: number;
}

/** How a process ended: `unfinished` if it was not done in time. */
export interface Ended {
  readonly outcome: number | "killed" | "unfinished";
  readonly stderr: string;
}

/** Runs all `clients`, some at a time, and returns how each ended, in order. */
export async function runClients(
  clients: readonly Client[],
  { atATime, killsAfter, random, mostMs }: ClientOptions,
): Promise<readonly Ended[]> {
  const living = new Map<ChildProcess, "runs" | "killed" | "unfinished">();
  const kill = (child: ChildProcess, why: "killed" | "unfinished"): void => {
    living.set(child, why);
    child.kill("SIGKILL");
  };
  const over = new AbortController();
  const killOne = (): void => {
    const running = [...living].filter(([, state]) => state === "runs");
    const [victim] = running[Math.floor(random() * running.length)] ?? [];
    if (victim !== undefined) kill(victim, "killed");
  };
  const timers = killsAfter.map((ms) => setTimeout(killOne, ms));
  timers.push(
    setTimeout(() => {
      over.abort();
      for (const child of living.keys()) kill(child, "unfinished");
    }, mostMs),
  );

  const run = async ({ command: [file = "", ...words], env }: Client): Promise<Ended> => {
    if (over.signal.aborted) return { outcome: "unfinished", stderr: "" };
    const child = spawn(file, words, { env, stdio: ["ignore", "ignore", "pipe"] });
    living.set(child, "runs");
    // The store must not starve, as it would on few processors.
    setPriority(child.pid ?? 0, 10);
    const ended = await endOf(child);
    const state = living.get(child);
    living.delete(child);
    // It had ended by itself before the signal came.
    if (state === "killed" && ended.outcome !== "unfinished") killOne();
    if (state === "runs" || state === undefined || ended.outcome !== "unfinished") return ended;
    return { ...ended, outcome: state };
  };
  const queue = [...clients.entries()];
  const results: Ended[] = [];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      results[next[0]] = await run(next[1]);
  };
  await Promise.all(Array.from({ length: atATime }, work));
  for (const timer of timers) clearTimeout(timer);
  return results;
}

async function endOf(child: ChildProcess): Promise<Ended> {
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ outcome: code ?? "unfinished", stderr }));
  });
}

/** Waits until `phase` ms after the next window begins; windows are `windowMs` long, aligned to UTC. */
export async function untilWindow(windowMs: number, phase: number): Promise<void> {
  const now = Date.now();
  const next = Math.ceil((now - phase) / windowMs) * windowMs + phase;
  while (Date.now() < next) await sleep(next - Date.now());
}
