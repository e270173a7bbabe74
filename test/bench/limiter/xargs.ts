import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { petsCommand } from "../pets-command.ts";
import { complaintsIn } from "./complaints.ts";
import { leastMs } from "./least.ts";

const animals = 130;
const perWindow = 60;
const windowMs = 60_000;
const [node, script] = petsCommand;
/** Two statuses, because a list shows 100 animals at most. */
const statuses = ["available", "pending"] as const;

interface Ready {
  readonly baseUrl: string;
  readonly keys: readonly { readonly apiKey: string }[];
}

/** Adds 130 animals by `xargs -P 16` with `pets add`, on `pets serve --memory --plan free`. */
export async function runXargs(): Promise<readonly string[]> {
  const home = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  // The key without limits is for the count at the end.
  const plans = ["--plan", "free", "--plan", "enterprise"];
  const words = ["serve", "--memory", ...plans, "--port", "0", "--json", "--verbose"];
  const server = spawn(node, [script, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
  try {
    const log = followLog(server);
    const [line] = (await once(createInterface(server.stdout), "line")) as [string];
    const { baseUrl, keys }: Ready = JSON.parse(line);
    const [free, unlimited] = keys.map(({ apiKey }) => apiKey);
    console.log(`xargs -P 16, ${animals} animals, ${perWindow} requests a minute`);
    const start = Date.now();
    const progress = setInterval(() => {
      const seconds = Math.round((Date.now() - start) / 1000);
      console.log(`  ${log.added} of ${animals} added, ${log.refused} refused after ${seconds} s`);
    }, 30_000);
    const code = await addAll({ ...env, PETS_BASE_URL: baseUrl, PETS_API_KEY: free ?? "" });
    clearInterval(progress);
    const totalMs = Date.now() - start;
    const names = await namesOf(baseUrl, unlimited ?? "");
    const windows = Math.ceil(animals / perWindow);
    const least = leastMs({ start, first: log.first ?? start, windowMs, windows });
    return judge({ ...log, code, names, totalMs, least });
  } finally {
    server.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

/** What the store's log says so far. */
interface Log {
  /** When the first request was answered, in ms since the epoch. */
  first: number | undefined;
  added: number;
  refused: number;
}

function followLog(server: ChildProcess): Log {
  const log: Log = { first: undefined, added: 0, refused: 0 };
  if (server.stderr === null) return log;
  createInterface(server.stderr).on("line", (line) => {
    log.first ??= Date.now();
    const status = /^[A-Z]+ \S+ (\d+) /.exec(line)?.[1];
    if (status === "201") log.added += 1;
    if (status === "429") log.refused += 1;
  });
  return log;
}

/** Adds all animals, and returns the exit code of xargs: 0 if each `pets` ended with 0. */
async function addAll(env: Record<string, string>): Promise<number> {
  const add = [...petsCommand, "add", "--quiet", "--category", "1", "--max-wait", "3m"];
  const xargs = spawn("xargs", ["-P", "16", "-n", "4", ...add], {
    env,
    stdio: ["pipe", "ignore", "pipe"],
  });
  for (let place = 0; place < animals; place += 1)
    xargs.stdin.write(`--name Animal-${place} --status ${statuses[place % 2]}\n`);
  xargs.stdin.end();
  let stderr = "";
  xargs.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(xargs, "close")) as [number];
  if (code !== 0) for (const text of complaintsIn([stderr])) console.log(`  ${text}`);
  return code;
}

async function namesOf(baseUrl: string, key: string): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${key}` };
  const pages = statuses.map(async (status) => {
    const reply = await fetch(`${baseUrl}/pets?limit=100&status=${status}`, { headers });
    return (await reply.json()) as readonly { readonly name: string }[];
  });
  return (await Promise.all(pages)).flat().map(({ name }) => name);
}

interface Outcome extends Log {
  readonly code: number;
  readonly names: readonly string[];
  readonly totalMs: number;
  readonly least: number;
}

function judge({ code, names, refused, totalMs, least }: Outcome): readonly string[] {
  const different = new Set(names).size;
  const seconds = (totalMs / 1000).toFixed(1);
  console.log(
    `  ${different} of ${animals} added, ${names.length - different} twice, ${refused} refused, ` +
      `xargs ended with ${code}, ${seconds} s of at least ${(least / 1000).toFixed(1)} s`,
  );
  const isMet = different === animals && names.length === animals && refused === 0 && code === 0;
  return isMet ? [] : ["xargs: all added, none twice, none refused"];
}
