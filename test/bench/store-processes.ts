import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { petsCommand } from "./pets-command.ts";
import type { BareReplies, BareReply } from "./store-bare.ts";
import type { LoadJob, LoadResult } from "./store-load.ts";

const here = import.meta.dirname;
const [node, script] = petsCommand;

/** A server in a separate process. */
export interface BenchServer {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** A running store, and its key. */
export interface BenchStore extends BenchServer {
  readonly apiKey: string;
}

/** Starts the store of `program`, by default of this build; resolves when it has printed that it is ready. */
export async function startStore(
  home: string,
  args: readonly string[],
  program = script,
): Promise<BenchStore> {
  const serve = [program, "serve", "--json", "--port", "0", "--plan", "enterprise", ...args];
  const child = spawn(node, serve, {
    env: { PATH: process.env.PATH ?? "", HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  const { baseUrl, apiKey, pid } = JSON.parse(String(line));
  const { port } = new URL(baseUrl);
  return { port: Number(port), pid, apiKey, stop: () => end(child) };
}

/** Starts a bare server that answers with `replies`. */
export async function startBare(replies: BareReplies): Promise<BenchServer> {
  const child = fork(path.join(here, "store-bare.ts"), { execPath: node });
  child.send(replies);
  const port = Number(await answerOf(child));
  return { port, pid: child.pid ?? 0, stop: () => end(child) };
}

/** Starts the load generator. */
export function startLoad() {
  const child = fork(path.join(here, "store-load.ts"), { execPath: node });
  const run = async (job: LoadJob): Promise<LoadResult> => {
    child.send(job);
    return answerOf(child);
  };
  return { run, stop: () => end(child) };
}

/** Sends a request, and returns the reply with all headers except those of the connection. */
export async function replyTo(
  { port, apiKey }: BenchStore,
  target: string,
  init: RequestInit = {},
): Promise<BareReply> {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const reply = await fetch(`http://127.0.0.1:${port}${target}`, { ...init, headers });
  const kept = [...reply.headers].filter(([name]) => !["connection", "keep-alive"].includes(name));
  return { status: reply.status, headers: Object.fromEntries(kept), body: await reply.text() };
}

/** Returns the CPU time of a process so far in ms (Linux, in hundredths of a second; NaN elsewhere). */
export function cpuMs(pid: number): number {
  try {
    const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    const [user, system] = fields.split(" ").slice(11, 13);
    return (Number(user) + Number(system)) * 10;
  } catch {
    return Number.NaN;
  }
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
