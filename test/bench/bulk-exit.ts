// Counts the imports that do not end: main waits for V8's threads in process.exit, and they for a garbage
// collection (nodejs/node#54918). Imports of 100,000 animals that were added before, and dry runs of them,
// beside busy loops. Arguments: how many of both (1000), and how many busy loops (2).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, copyFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { benchEnv, benchFolder, runProgram, startBulkStore, writePets } from "./bulk-support.ts";
import { petsCommand } from "./pets-command.ts";

const rows = 100_000;
const runs = Number(process.argv[2] ?? 1000);
const busyLoops = Number(process.argv[3] ?? 2);
/** A process that uses no CPU for this long does not end, however busy the machine is. */
const idleMs = 10_000;
/** No run may take longer, on a machine that does nothing else. */
const slowMs = 10_000;

const { folder, remove } = benchFolder();
const store = await startBulkStore(folder, ["enterprise"]);
const loops = Array.from({ length: busyLoops }, () => spawn(process.execPath, ["-e", "for(;;);"]));
try {
  const env = benchEnv(folder, { PETS_BASE_URL: store.baseUrl, PETS_API_KEY: store.keys[0] ?? "" });
  const first = writePets(folder, rows);
  const { code } = await runProgram([...petsCommand, "add", "--from", first, "-q"], { env });
  if (code !== 0) throw new Error(`the import of ${rows} animals ended with ${code}`);
  const known = path.join(folder, "known.ndjson");
  copyFileSync(first, known);
  appendFileSync(known, '{"name":"Rex","categoryId":1}\n');
  const words = [...petsCommand, "add", "--from", known];
  await measure("dry runs", [...words, "--dry-run"], env);
  await measure("imports that are refused", words, env);
} finally {
  for (const loop of loops) loop.kill();
  await store.stop();
  remove();
}

async function measure(
  name: string,
  command: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  const count = Math.ceil(runs / 2);
  let hung = 0;
  let slowest = 0;
  for (let run = 0; run < count; run += 1) {
    const ms = await timeOf(command, env);
    if (ms === undefined) hung += 1;
    else slowest = Math.max(slowest, ms);
  }
  console.log(`${count} ${name}: ${hung} did not end, the slowest took ${slowest.toFixed(0)} ms`);
  if (hung > 0 || slowest > slowMs) process.exitCode = 1;
}

/** Returns how long a command took; undefined if it had to be killed. */
async function timeOf(
  [node = "", ...args]: readonly string[],
  env: Record<string, string>,
): Promise<number | undefined> {
  const start = performance.now();
  const child = spawn(node, args, { env, stdio: "ignore" });
  let ticks = "";
  const look = setInterval(() => {
    const now = cpuTicks(child.pid);
    if (now === ticks) child.kill("SIGKILL");
    ticks = now;
  }, idleMs);
  const [, signal] = (await once(child, "exit")) as [number | null, string | null];
  clearInterval(look);
  return signal === null ? performance.now() - start : undefined;
}

/** Returns what a process has used of the CPU: utime and stime, proc_pid_stat(5). */
function cpuTicks(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(" ").slice(13, 15).join(" ");
  } catch {
    return "ended";
  }
}
