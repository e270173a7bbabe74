import type { ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { writeNames } from "./bulk-ledger.ts";
import { runProgram, startProgram, writePets } from "./bulk-support.ts";
import { petsCommand } from "./pets-command.ts";

const rows = Number(process.env.ROWS ?? 1_000_000);
const newRows = 10;
/** The import beside them sends so many rows a second. */
const besideRate = 100;
const besideRows = 30_000;
const mostGapMs = 200;
/** How many rows the first import sends before it is stopped. */
const sentRows = 2000;

/** A million rows: what it takes to check, to start and to compare them, and what an import beside them sees of it. */
export async function measureMillion(): Promise<readonly string[]> {
  await using place = await openPlace();
  const { folder, env, sends } = place;
  const file = writePets(folder, rows);
  const later = writePets(folder, rows + newRows);
  const names = Array.from({ length: besideRows }, (_none, at) => `Beside ${at}`);
  const beside = writeNames(place, "beside", names);
  const missed: string[] = [];

  const words = ["add", "--from", file, "--dry-run", "-q", "-o", "ndjson"];
  const check = await runProgram([...petsCommand, ...words], env);
  if (check.code !== 0) missed.push(`the check: ${check.stderr}`);
  tell(`${rows} rows checked: ended with ${check.code}, ${seconds(check.ms)}`);

  /** Starts an import beside another one, until it has sent so many rows or ended. */
  const start = async (what: string, input: string, count: number, ...options: string[]) => {
    const steady = ["add", "--from", beside.file, "--rate", `${besideRate}/s`, "-q"];
    const other = startProgram([...petsCommand, ...steady], env);
    await sends.reach("Beside", besideRate, other.child);
    const begun = startProgram([...petsCommand, "add", "--from", input, "-q", ...options], env);
    const startedAt = performance.now();
    await sends.reach("Pet", 1, begun.child);
    const firstMs = performance.now() - startedAt;
    const cpuMs = cpuOf(begun.child);
    const gapMs = sends.longestGap("Beside", startedAt);
    await sends.reach("Pet", count, begun.child);
    for (const each of [begun, other]) each.child.kill("SIGINT");
    const { code, stderr } = await begun.ended;
    await other.ended;
    sends.forget();
    tell(
      `${what}: ${seconds(firstMs)} until the first row is sent, ${seconds(cpuMs)} of CPU; ` +
        `the longest gap of an import beside it ${gapMs.toFixed(0)} ms; ended with ${code}`,
    );
    if (gapMs > mostGapMs) missed.push(`${what}: a gap of at most ${mostGapMs} ms beside it`);
    return { code, stderr };
  };
  const first = await start(`${rows} rows, new`, file, sentRows);
  if (first.code !== 130) missed.push(`the first import: ${first.stderr}`);
  markAdded(folder, file);
  const what = `${rows} rows that were added and ${newRows} new ones`;
  const second = await start(what, later, Infinity, "--only-new");
  if (second.code !== 0) missed.push(`the second import: ${second.stderr}`);

  const list = await runProgram([...petsCommand, "imports", "--json"], env, true);
  tell(`pets imports: ended with ${list.code}, ${seconds(list.ms)}`);
  const listed = JSON.parse(list.stdout) as { input: string; added: number }[];
  if (listed.find(({ input }) => input === later)?.added !== newRows)
    missed.push(`${newRows} rows added by the second import`);
  return missed;
}

const tell = (line: string): void => console.log(line);

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** Records all rows of a stopped import as added. */
function markAdded(folder: string, input: string): void {
  using database = new DatabaseSync(path.join(folder, ".local/state/pets/imports.db"));
  const [{ id } = {}] = database.prepare("SELECT id FROM imports WHERE name = ?").all(input);
  const update = "UPDATE rows SET state = 'added', id = number + 1 WHERE import = ? AND state = ?";
  database.prepare(update).run(id ?? null, "unsent");
}

/** When rows arrived, by the first word of their names. */
class Sends {
  readonly #times = new Map<string, number[]>();

  add(name: string): void {
    const [word = ""] = name.split(" ");
    const times = this.#times.get(word) ?? [];
    times.push(performance.now());
    this.#times.set(word, times);
  }

  forget(): void {
    this.#times.clear();
  }

  /** Waits until so many rows have arrived, or the program that sends them has ended. */
  async reach(word: string, count: number, child: ChildProcess): Promise<void> {
    while ((this.#times.get(word)?.length ?? 0) < count && child.exitCode === null) await sleep(1);
  }

  /** Returns the longest time between two rows from a moment on, in ms. */
  longestGap(word: string, from: number): number {
    const times = (this.#times.get(word) ?? []).filter((time) => time >= from);
    const ends = [...times, performance.now()];
    return Math.max(...ends.map((time, at) => time - (ends[at - 1] ?? from)));
  }
}

/** Opens a home, and a store without limits that answers at once, keeps nothing and counts what arrives. */
async function openPlace() {
  const folder = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
  const sends = new Sends();
  let id = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    response.setHeader("content-type", "application/json");
    if (request.method !== "POST") return void response.end("[]");
    const pet = JSON.parse(body) as { name: string };
    sends.add(pet.name);
    id += 1;
    response.statusCode = 201;
    response.end(JSON.stringify({ id, status: "available", ...pet }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    folder,
    sends,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: folder,
      PETS_BASE_URL: `http://127.0.0.1:${port}`,
      PETS_API_KEY: "bench",
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns the CPU time of a process so far, in ms, or NaN if it has ended; the kernel counts it in hundredths of a second.
 */
function cpuOf({ pid }: ChildProcess): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [user, system] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14);
    return (Number(user) + Number(system)) * 10;
  } catch {
    return Number.NaN;
  }
}
