import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { petsCommand } from "./pets-command.ts";

const [node, script] = petsCommand;

/** The working folder of a part of the bench. */
export function benchFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Returns the environment of programs whose home is `home`. */
export function benchEnv(home: string, more: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: home, ...more };
}

/** Writes an NDJSON file of this many animals. */
export function writePets(folder: string, count: number): string {
  const file = path.join(folder, `${count}.ndjson`);
  const fd = openSync(file, "w");
  for (let row = 1; row <= count;) {
    let text = "";
    for (const end = Math.min(row + 10_000, count + 1); row < end; row += 1)
      text += `{"name":"Pet ${row}","categoryId":${row},"status":"available"}\n`;
    writeSync(fd, text);
  }
  return file;
}

/** What a store has counted. */
interface StoreState {
  readonly pets: number;
  readonly requests: Readonly<Record<string, number>>;
  readonly early: number;
  readonly bans: number;
}

/** A store of the built program, in memory. */
export interface BulkStore {
  readonly baseUrl: string;
  readonly keys: readonly string[];
  state(): Promise<StoreState>;
  stop(): Promise<void>;
}

/** Starts a store with a key for each of `plans`, which keeps its data at this place. */
export async function startBulkStore(
  home: string,
  plans: readonly string[],
  place: readonly string[] = ["--memory"],
): Promise<BulkStore> {
  const words = ["serve", ...place, "--port", "0", "--json"];
  const plan = plans.flatMap((name) => ["--plan", name]);
  const child = spawn(node, [script, ...words, ...plan], {
    env: benchEnv(home),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const { baseUrl, keys } = JSON.parse(line) as {
    baseUrl: string;
    keys: { apiKey: string }[];
  };
  const headers = { authorization: `Bearer ${keys[0]?.apiKey}` };
  return {
    baseUrl,
    keys: keys.map(({ apiKey }) => apiKey),
    async state() {
      const reply = await fetch(new URL("/_store/state", baseUrl), { headers });
      return (await reply.json()) as StoreState;
    },
    stop: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  child.kill();
  await closed;
}

/** How a program ended, how long it took, in ms, and its peak memory, in MB (Linux). */
export interface BenchRun {
  readonly code: number | null;
  readonly ms: number;
  readonly peakMb: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end; keeps its output if `keep`. */
export async function runProgram(
  [command, ...args]: readonly [string, ...string[]],
  { env, keep = false }: { readonly env: Record<string, string>; readonly keep?: boolean },
): Promise<BenchRun> {
  const start = performance.now();
  const child = spawn(command, args, { env, stdio: ["ignore", keep ? "pipe" : "ignore", "pipe"] });
  let [stdout, stderr, peakMb] = ["", "", Number.NaN];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const look = setInterval(() => (peakMb = peakOf(child.pid) ?? peakMb), 20);
  const [code] = (await once(child, "close")) as [number | null];
  clearInterval(look);
  return { code, ms: performance.now() - start, peakMb, stdout, stderr };
}

function peakOf(pid: number | undefined): number | undefined {
  try {
    const [, kb] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kb === undefined ? undefined : Number(kb) / 1024;
  } catch {
    return undefined;
  }
}
