import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { compareImport, type Home, writeImport } from "./bulk-kill.ts";
import { benchEnv, benchFolder, runProgram, startBulkStore } from "./bulk-support.ts";
import { petsCommand } from "./pets-command.ts";
import { TracedDisk, tracedCalls } from "./traced-disk.ts";

const cuts = Number(process.env.CUTS ?? 40);
const rows = 300;
const plan = "50/1s";
const maxLifeMs = 3000;

/**
 * Cuts the power of the machine under imports that limits pace, and resumes them: of their record and results only
 * what was synced is left, and by chance some of the rest. Then compares store, results and record row by row.
 */
export async function measurePowerCuts(): Promise<readonly string[]> {
  const { folder, remove } = benchFolder();
  const data = path.join(folder, "pets.db");
  const store = await startBulkStore(folder, [plan], ["--data", data]);
  const env = benchEnv(folder, { PETS_BASE_URL: store.baseUrl, PETS_API_KEY: store.keys[0] ?? "" });
  mkdirSync(path.join(folder, ".local/state/pets"), { recursive: true, mode: 0o700 });
  const wrong: string[] = [];
  let [done, imports, unknown, lost] = [0, 0, 0, 0];
  try {
    while (done < cuts) {
      imports += 1;
      const home = { folder, data, env };
      const words = writeImport(home, imports, rows);
      for (let hit: number | undefined = 0; hit !== undefined && done < cuts;) {
        hit = await runAndCut(home, words);
        done += hit === undefined ? 0 : 1;
        lost += hit ?? 0;
      }
      const last = await runProgram([...petsCommand, ...words], { env, keep: true });
      if (last.code !== 0 && last.code !== 9) wrong.push(`ended with ${last.code}: ${last.stderr}`);
      const compared = await compareImport(home, imports, rows);
      unknown += compared.unknown;
      wrong.push(...compared.wrong);
    }
  } finally {
    await store.stop();
    remove();
  }
  console.log(
    `${done} power cuts, which lost ${lost} writes, of ${imports} imports of ${rows} rows at ${plan}: ` +
      `${unknown} rows unknown, ${wrong.length} wrong`,
  );
  return wrong;
}

/** Runs an import, and cuts its power; returns how many writes that lost, or undefined if it ended before. */
async function runAndCut({ folder, env }: Home, words: readonly string[]) {
  const state = path.join(folder, ".local/state/pets");
  const disk = new TracedDisk([folder, state], (name) =>
    /^(?:results-|imports\.db(?!-shm))/.test(name),
  );
  const trace = path.join(folder, "trace");
  const options = ["-f", "-y", "-xx", "-s", "200000", "-e", `trace=${tracedCalls}`, "-o", trace];
  const child = spawn("strace", [...options, ...petsCommand, ...words], { env, stdio: "ignore" });
  const ended = once(child, "close");
  await Promise.race([ended, sleep(maxLifeMs * Math.random())]);
  const isCut = child.exitCode === null;
  if (isCut) {
    const children = (): readonly string[] =>
      readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").match(/\d+/g) ?? [];
    // On a busy machine strace may not have started it yet.
    while (children().length === 0) await sleep(10);
    // Only what is traced: strace writes what it saw.
    for (const pid of children()) process.kill(Number(pid), "SIGKILL");
  }
  await ended;
  disk.replay(readFileSync(trace, "latin1"));
  return isCut ? disk.cut() : undefined;
}
