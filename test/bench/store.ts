// Compares the store with a bare node:http server that sends the same bytes, and with an earlier build, in one run: the
// servers and the load generator are separate processes that take turns, so that whatever else the machine does affects
// them equally.
import { type ChildProcess, execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { median } from "./cpu.ts";
import { petsCommand } from "./pets-command.ts";
import type { BareReplies, BareReply } from "./store-bare.ts";
import type { LoadJob, LoadResult } from "./store-load.ts";

const rounds = Number(process.argv[2] ?? 11);
const roundMs = Number(process.argv[3] ?? 500);
const connections = 64;
const target = "/v1/pets?limit=100";
const pet = '{"name":"Rex the bench dog","categoryId":7,"status":"available"}';
/** The last commit before the store began to remember requests. */
const earlier = "941b1fa";

const [node, script] = petsCommand;
const home = mkdtempSync(path.join(tmpdir(), "pets-bench-"));
const running: ChildProcess[] = [];
const load = startProcess("store-load.ts");

/** A ratio, and its lower bound. */
interface Line {
  readonly what: string;
  readonly value: number;
  readonly bound: number;
  readonly note: string;
}

/** A server in a separate process. */
interface BenchServer {
  readonly port: number;
  readonly pid: number;
}

/** A running store, and its key. */
interface BenchStore extends BenchServer {
  readonly apiKey: string;
}

try {
  const lines = [...(await besideBare()), ...(await besideEarlier())];
  console.log(
    `\nMedians of ${rounds} interleaved rounds of ${roundMs} ms, Node ${process.versions.node}\n`,
  );
  for (const { what, value, bound, note } of lines) {
    const verdict = value >= bound ? "yes" : "NO";
    console.log(`${what.padEnd(32)}${value.toFixed(2)}  >= ${bound} ${verdict.padEnd(4)} ${note}`);
    if (value < bound) process.exitCode = 1;
  }
} finally {
  await Promise.all(running.map(end));
  rmSync(home, { recursive: true, force: true });
}

/** Compares requests to a store with 10,000 animals with the bare server. */
async function besideBare(): Promise<readonly Line[]> {
  const store = await startStore("10k.db");
  const bare = await startBare({
    GET: await replyTo(store, target),
    POST: await replyTo(store, "/v1/pets", { method: "POST", body: pet }),
  });
  const lists = await compare(store, bare, get(store));
  const adds = await compare(store, bare, post(store));
  return [
    { what: "list 100 of 10,000 / bare", bound: 0.75, ...lists },
    { what: "durable adds / bare", bound: 0.45, ...adds },
  ];
}

/** Compares with the build of an earlier commit, which remembered no requests. */
async function besideEarlier(): Promise<readonly Line[]> {
  const old = await startStore("old.db", buildEarlier());
  const store = await startStore("new.db");
  const lists = await compare(store, old, get(store), get(old));
  const adds = await compare(store, old, post(store), post(old));
  return [
    { what: "lists / before", bound: 0.95, ...lists },
    { what: "durable adds / before", bound: 0.95, ...adds },
  ];
}

/** Sends the same request to both, in turns. Returns the median of the rounds' ratios of the rates. */
async function compare(one: BenchServer, other: BenchServer, request: string, its = request) {
  const ratios: { rate: number; us: number; otherUs: number; cpu: number }[] = [];
  for (let round = -1; round < rounds; round += 1) {
    // In turns each is the first one, which finds the processor's caches cold.
    const isFirst = round % 2 === 0;
    const first = isFirst ? await measure(one, request) : await measure(other, its);
    const second = isFirst ? await measure(other, its) : await measure(one, request);
    const [mine, theirs] = isFirst ? [first, second] : [second, first];
    if (round === -1) continue;
    ratios.push({
      rate: mine.rate / theirs.rate,
      us: 1e6 / mine.rate,
      otherUs: 1e6 / theirs.rate,
      cpu: theirs.cpuUs / mine.cpuUs,
    });
  }
  const of = (key: keyof (typeof ratios)[number]): number => median(ratios.map((r) => r[key]));
  const note = `${of("us").toFixed(1)} µs and ${of("otherUs").toFixed(1)} µs; of CPU ${of("cpu").toFixed(2)}`;
  return { value: of("rate"), note };
}

async function measure({ port, pid }: BenchServer, request: string) {
  const before = cpuMs(pid);
  load.send({ port, connections, ms: roundMs, request } satisfies LoadJob);
  const { count, ms, statuses } = await answerOf<LoadResult>(load);
  if (statuses.some((code) => !code.startsWith("2")))
    throw new Error(`responded with ${statuses.join(", ")}`);
  return { rate: (count / ms) * 1000, cpuUs: ((cpuMs(pid) - before) * 1000) / count };
}

/** Returns the CPU time of a process so far in ms (Linux, in hundredths of a second; NaN elsewhere). */
function cpuMs(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return Number.NaN;
  const [, fields = ""] = readFileSync(file, "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

function get({ apiKey }: BenchStore): string {
  return `GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
}

function post({ apiKey }: BenchStore): string {
  const headers = `Content-Type: application/json\r\nContent-Length: ${pet.length}`;
  return `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${apiKey}\r\n${headers}\r\n\r\n${pet}`;
}

/** Sends a request, and returns the reply with all headers except those of the connection. */
async function replyTo(
  { port, apiKey }: BenchStore,
  at: string,
  init: RequestInit = {},
): Promise<BareReply> {
  const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
  const reply = await fetch(`http://127.0.0.1:${port}${at}`, { ...init, headers });
  const kept = [...reply.headers].filter(([name]) => !["connection", "keep-alive"].includes(name));
  return { status: reply.status, headers: Object.fromEntries(kept), body: await reply.text() };
}

/** Starts the store of `program`, by default of this build, with 10,000 animals. */
async function startStore(file: string, program: string = script): Promise<BenchStore> {
  const data = ["--data", path.join(home, file), "--seed", "10000"];
  const words = ["serve", "--json", "--port", "0", "--plan", "enterprise", ...data];
  const child = spawn(node, [program, ...words], {
    env: { PATH: process.env.PATH ?? "", HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.push(child);
  const [line] = await once(child.stdout, "data");
  const { baseUrl, apiKey, pid } = JSON.parse(String(line));
  return { port: Number(new URL(baseUrl).port), pid, apiKey };
}

/** Starts a bare server that answers with `replies`. */
async function startBare(replies: BareReplies): Promise<BenchServer> {
  const child = startProcess("store-bare.ts");
  child.send(replies);
  return { port: await answerOf<number>(child), pid: child.pid ?? 0 };
}

function startProcess(file: string): ChildProcess {
  const child = fork(path.join(import.meta.dirname, file), { execPath: node });
  running.push(child);
  return child;
}

/** Returns the next message of `child`; rejects if it ends before. */
function answerOf<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error("a process of the bench ended early"));
    child.once("exit", fail);
    child.once("message", (message) => {
      child.off("exit", fail);
      resolve(message as Message);
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill();
  await closed;
}

/**
 * Returns the program of the earlier commit, built from git with its own dependencies; kept in the directory for
 * temporary files, as that takes a minute.
 */
function buildEarlier(): string {
  const folder = path.join(tmpdir(), `pets-bench-${earlier}`);
  const program = path.join(folder, "bin", "pets.js");
  if (existsSync(program)) return program;
  const fresh = `${folder}.${process.pid}`;
  mkdirSync(fresh, { mode: 0o700 });
  try {
    const archive = execFileSync("git", ["archive", earlier], { maxBuffer: 1e9 });
    execFileSync("tar", ["-x", "-C", fresh], { input: archive });
    const options = { cwd: fresh, stdio: "ignore" } as const;
    execFileSync("npm", ["ci", "--no-audit", "--no-fund"], options);
    execFileSync("npm", ["run", "build"], options);
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  }
  return program;
}
