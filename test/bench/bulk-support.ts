import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { petsCommand } from "./pets-command.ts";

const [node, script] = petsCommand;

export type Bench = Awaited<ReturnType<typeof startBench>>;

/** Starts a store of the built program with a key of `plan`, in memory or in a file, and a home that uses it; disposed of in the end. */
export async function startBench(plan: string, isInMemory = true) {
  const folder = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
  const data = path.join(folder, "pets.db");
  const place = isInMemory ? ["--memory"] : ["--data", data];
  const words = ["serve", ...place, "--port", "0", "--json", "--plan", plan];
  const home = { PATH: process.env.PATH ?? "", HOME: folder };
  const child = spawn(node, [script, ...words], {
    env: home,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const { baseUrl, keys } = JSON.parse(line) as { baseUrl: string; keys: { apiKey: string }[] };
  const apiKey = keys[0]?.apiKey ?? "";
  return {
    folder,
    data,
    baseUrl,
    apiKey,
    env: { ...home, PETS_BASE_URL: baseUrl, PETS_API_KEY: apiKey } as Record<string, string>,
    async [Symbol.asyncDispose]() {
      const closed = once(child, "close");
      child.kill();
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** How the text of a file begins, its rows, what is between them, and how it ends. */
const formats = {
  ndjson: ["", jsonRow, "\n", "\n"],
  json: ["[\n", jsonRow, ",\n", "\n]\n"],
  csv: [
    "name,categoryId,status\r\n",
    (row: number) => `Pet ${row},${row},available`,
    "\r\n",
    "\r\n",
  ],
} as const;

function jsonRow(row: number): string {
  return `{"name":"Pet ${row}","categoryId":${row},"status":"available"}`;
}

/** Writes a file of this many animals. */
export function writePets(
  folder: string,
  count: number,
  format: keyof typeof formats = "ndjson",
): string {
  const [start, rowText, between, end] = formats[format];
  const file = path.join(folder, `${count}.${format}`);
  const fd = openSync(file, "w");
  let text = start;
  for (let row = 1; row <= count; row += 1) {
    text += rowText(row) + (row < count ? between : end);
    if (row % 10_000 > 0 && row < count) continue;
    writeSync(fd, text);
    text = "";
  }
  return file;
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
export function runProgram(
  command: readonly [string, ...string[]],
  env: Record<string, string>,
  keep = false,
): Promise<BenchRun> {
  return startProgram(command, env, keep).ended;
}

/** Starts a program; `ended` resolves when it has ended. Its output is kept if `keep`. */
export function startProgram(
  [command, ...args]: readonly [string, ...string[]],
  env: Record<string, string>,
  keep = false,
) {
  const start = performance.now();
  const child = spawn(command, args, { env, stdio: ["ignore", keep ? "pipe" : "ignore", "pipe"] });
  const closed = once(child, "close") as Promise<[number | null]>;
  let [stdout, stderr, peakMb] = ["", "", Number.NaN];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const look = setInterval(() => (peakMb = peakOf(child.pid) ?? peakMb), 20);
  const ended = closed.then(([code]): BenchRun => {
    clearInterval(look);
    return { code, ms: performance.now() - start, peakMb, stdout, stderr };
  });
  return { child, ended };
}

function peakOf(pid: number | undefined): number | undefined {
  try {
    const [, kb] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kb === undefined ? undefined : Number(kb) / 1024;
  } catch {
    return undefined;
  }
}
