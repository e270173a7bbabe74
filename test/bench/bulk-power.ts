import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { removeUnfinished, resumeImports } from "./bulk-kill.ts";
import { type Bench, startBench } from "./bulk-support.ts";
import { petsCommand } from "./pets-command.ts";

const cuts = Number(process.env.CUTS ?? 40);
const rows = 300;
const plan = "50/1s";
const maxLifeMs = 3000;
/** A slow disk, on which a cut often comes between writes and their sync: so many µs until one begins. */
const syncUs = 20_000;

/**
 * Cuts the power of the machine under imports that limits pace, and resumes them: of their record and results only
 * what was synced is left, and by chance some of the rest. Then compares store, results and record row by row.
 */
export async function measurePowerCuts(): Promise<readonly string[]> {
  await using bench = await startBench(plan, false);
  mkdirSync(path.join(bench.folder, ".local/state/pets"), { recursive: true, mode: 0o700 });
  let lost = 0;
  const { said, wrong } = await resumeImports(bench, rows, cuts, async (words) => {
    const writes = await runAndCut(bench, words);
    lost += writes ?? 0;
    return writes !== undefined;
  });
  console.log(`power cuts at ${plan}, which lost ${lost} writes: ${said}`);
  return wrong;
}

/** Runs an import, and cuts its power; returns how many writes that lost, or undefined if it ended before. */
async function runAndCut({ folder, env }: Bench, words: readonly string[]) {
  const state = path.join(folder, ".local/state/pets");
  const disk = new TracedDisk([folder, state]);
  const trace = path.join(folder, "trace");
  const what = ["-e", `trace=${tracedCalls}`, "-e", `inject=fsync,fdatasync:delay_enter=${syncUs}`];
  const options = ["-f", "-y", "-xx", "-s", "200000", ...what, "-o", trace];
  const child = spawn("strace", [...options, ...petsCommand, ...words], { env, stdio: "ignore" });
  const ended = once(child, "close") as Promise<[number | null, string | null]>;
  await Promise.race([ended, sleep(maxLifeMs * Math.random())]);
  // On a busy machine strace may not have started it yet. Only what is traced: strace writes what it saw.
  while (child.exitCode === null && child.signalCode === null && !killChildren(child.pid))
    await sleep(10);
  // It ends as what it traced has ended.
  const [, signal] = await ended;
  disk.replay(readFileSync(trace, "latin1"));
  if (signal !== "SIGKILL") return undefined;
  const lost = disk.cut();
  removeUnfinished(folder);
  return lost;
}

/** Kills what a process has started; returns whether that is anything. */
function killChildren(parent: number | undefined): boolean {
  try {
    const text = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8");
    const children = text.match(/\d+/g) ?? [];
    return children.map((pid) => process.kill(Number(pid), "SIGKILL")).length > 0;
  } catch {
    // They have ended meanwhile.
    return false;
  }
}

/** The system calls that a trace must have: `strace -f -y -xx -s 200000 -e trace=…`. */
const tracedCalls =
  "openat,write,pwrite64,ftruncate,fsync,fdatasync,link,linkat,rename,renameat,unlink,unlinkat";

/** A change of a file: bytes at a place, or its length. */
type Change = { readonly at: number; readonly bytes: Buffer } | { readonly length: number };

/** What is on the disk of a file for sure, and what was changed since; `end` is where the next `write` goes. */
interface DiskFile {
  synced: Buffer;
  changes: Change[];
  end: number;
}

/** Results, also while they are written, and the record of imports. */
const traced = /^(?:results-|\.pets-|imports\.db(?!-shm))/;

/** Those files as the system calls of a program change them. Their names are on the disk at once, in order. */
class TracedDisk {
  readonly #folders: readonly string[];
  readonly #files = new Map<string, DiskFile>();

  /** Follows the files of some folders from what they are now. */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
    for (const file of this.#present())
      this.#files.set(file, { synced: readFileSync(file), changes: [], end: 0 });
  }

  #present(): readonly string[] {
    return this.#folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => traced.test(name))
        .map((name) => path.join(folder, name)),
    );
  }

  /** Replays a trace. Calls of other threads may come between the beginning of a call and its end. */
  replay(trace: string): void {
    const begun = new Map<string, string>();
    for (const line of trace.split("\n")) {
      const [, thread = "", text = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
      const [, start] = /^(.*) <unfinished \.\.\.>$/.exec(text) ?? [];
      const [, rest] = /^<\.\.\. \w+ resumed>(.*)$/.exec(text) ?? [];
      if (start !== undefined) begun.set(thread, start);
      else this.#apply(rest === undefined ? text : `${begun.get(thread)}${rest}`);
    }
  }

  #apply(call: string): void {
    const [, name = "", words = "", result = "-1"] = /^(\w+)\((.*)\) += (-?\d+)/.exec(call) ?? [];
    if (Number(result) < 0) return;
    const [, descriptor = ""] = /^\d+<([^>]*)>/.exec(words) ?? [];
    const file = this.#files.get(bytesOf(descriptor).toString());
    const [bytes = Buffer.alloc(0), second] = Array.from(words.matchAll(/"([^"]*)"/g), ([, hex]) =>
      bytesOf(hex),
    );
    const last = Number(/(\d+)$/.exec(words)?.[1]);
    if (name === "openat" || file === undefined)
      this.#rename(name, words, [bytes.toString(), second?.toString() ?? ""]);
    else if (name === "ftruncate") file.changes.push({ length: last });
    else if (name === "pwrite64") file.changes.push({ at: last, bytes });
    else if (name === "write") {
      file.changes.push({ at: file.end, bytes });
      file.end += bytes.length;
    } else for (const change of file.changes.splice(0)) make(file, change);
  }

  #rename(call: string, words: string, [from, to]: readonly [string, string]): void {
    const file = this.#files.get(from);
    const isMade = call === "openat" && words.includes("O_CREAT") && file === undefined;
    const isIn = this.#folders.includes(path.dirname(from)) && traced.test(path.basename(from));
    if (isMade && isIn) this.#files.set(from, { synced: Buffer.alloc(0), changes: [], end: 0 });
    if (/^(?:link|rename)/.test(call) && file !== undefined) this.#files.set(to, file);
    if (/^(?:unlink|rename)/.test(call)) this.#files.delete(from);
  }

  /** Leaves in the folders what was synced, and of each file none, some or all of the changes since; returns how many went. */
  cut(): number {
    for (const file of this.#present()) rmSync(file);
    let lost = 0;
    for (const [name, file] of this.#files) {
      const part = Math.floor(3 * Math.random()) / 2;
      for (const change of file.changes.splice(0)) {
        if (Math.random() < part) make(file, change);
        else lost += 1;
      }
      writeFileSync(name, file.synced, { mode: 0o600 });
    }
    return lost;
  }
}

function bytesOf(hex = ""): Buffer {
  return Buffer.from(hex.replaceAll("\\x", ""), "hex");
}

function make(file: DiskFile, change: Change): void {
  const length = "length" in change ? change.length : change.at + change.bytes.length;
  const changed = Buffer.alloc("length" in change ? length : Math.max(length, file.synced.length));
  file.synced.copy(changed);
  if ("bytes" in change) change.bytes.copy(changed, change.at);
  file.synced = changed;
}
