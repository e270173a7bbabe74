import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { freePort } from "../../support/servers/free-port.ts";

/** A Redis server of a benchmark, without persistence. */
export interface BenchRedis {
  readonly port: number;
  readonly url: string;
  /** Kills it. */
  stop(): Promise<void>;
}

/** Starts a Redis server at `port`; at a free one by default. */
export async function startRedisServer(port?: number): Promise<BenchRedis> {
  const own = port ?? (await freePort());
  const words = ["--port", `${own}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const child = spawn("redis-server", words, { stdio: ["ignore", "pipe", "inherit"] });
  for (let log = ""; !log.includes("Ready to accept");)
    log += String(await once(child.stdout, "data"));
  child.stdout.resume();
  return { port: own, url: `redis://127.0.0.1:${own}`, stop: () => kill(child) };
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
