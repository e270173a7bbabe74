import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { readPack, runsToLearn, writePack } from "../start/code-cache.ts";
import { encodePack } from "../start/code-pack.ts";
import { files, type Run, warmUpRuns } from "./warm-up-runs.ts";

/**
 * The compiled code that runs of each of `commands` need, as packs of the time 0: made by running the
 * built program in `root` on this Node, against a store of its own. Throws where a run does not end as it
 * should, or a command was not run.
 */
export async function warmUp(
  root: string,
  commands: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = mkdtempSync(path.join(tmpdir(), "pets-warm-up-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    const env = { HOME: folder, TMPDIR: folder };
    await runAll(path.join(root, "bin/pets.js"), { env, cwd: folder });
    return packsIn(folder, commands);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Place {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

async function runAll(script: string, place: Place): Promise<void> {
  const words = ["serve", "--memory", "--seed", "20", "--port", "0", "--json"];
  // It ends last, and would put what it knew at its start in the place of what others added.
  const env = { ...place.env, NODE_DISABLE_COMPILE_CACHE: "1" };
  const store = spawn(process.execPath, [script, ...words], { ...place, env });
  try {
    const { baseUrl, apiKey } = await readyStore(store);
    for (const wanted of warmUpRuns(baseUrl, apiKey)) {
      const settings = wanted.isProfile ? {} : { PETS_BASE_URL: baseUrl, PETS_API_KEY: apiKey };
      await run(script, wanted, { ...place, env: { ...place.env, ...settings } });
      learnOn(place.cwd);
    }
  } finally {
    store.kill();
    if (store.exitCode === null) await once(store, "exit");
  }
}

function run(script: string, { line, code = 0, input = "" }: Run, place: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    const words = [script, ...line.split(" ")];
    const options = { ...place, timeout: 30_000 };
    const child = execFile(process.execPath, words, options, (_error, _out, told) => {
      if (child.exitCode === code) resolve();
      else reject(new Error(`pets ${line}: it ended with ${child.exitCode}: ${told}`));
    });
    child.stdin?.on("error", () => {}).end(input);
  });
}

async function readyStore(store: ChildProcess): Promise<{ baseUrl: string; apiKey: string }> {
  if (store.stdout === null) throw new Error("the store has no standard output");
  const lines = createInterface(store.stdout);
  const ended = once(store, "exit").then(() => Promise.reject(new Error("the store ended")));
  const [line] = await Promise.race([once(lines, "line"), ended]);
  return JSON.parse(String(line));
}

/** Lets the next run add to what is known, however many there were. */
function learnOn(folder: string): void {
  for (const file of keptIn(folder)) {
    const pack = readPack(file);
    if (pack !== undefined && pack.runs > 0)
      writePack(file, process.pid, () => ({ code: pack.code, runs: 0 }));
  }
}

function packsIn(folder: string, commands: readonly string[]): Map<string, Uint8Array> {
  const kept = keptIn(folder);
  return new Map(
    commands.map((command) => {
      const pack = readPack(kept.find((file) => file.endsWith(`-${command}`)));
      if (pack === undefined)
        throw new Error(`nothing was compiled for ${command}: the warm-up lacks it`);
      return [command, encodePack({ code: pack.code, runs: runsToLearn }, 0)];
    }),
  );
}

/** What the runs kept of compiled code, in the folder that they make below the temporary one. */
function keptIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith("pets-cache-"))
    .flatMap((name) =>
      readdirSync(path.join(folder, name)).map((file) => path.join(folder, name, file)),
    );
}
