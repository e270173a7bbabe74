import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { freePort } from "../servers/free-port.ts";

export interface RedisProcess {
  readonly port: number;
  readonly url: string;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

/** Starts a Redis server with `options` at `port`; at a free one by default. */
export async function startRedisServer(
  port?: number,
  options: readonly string[] = [],
): Promise<RedisProcess> {
  const own = port ?? (await freePort());
  const words = ["--port", `${own}`, "--bind", "127.0.0.1", "--save", "", ...options];
  const child = spawn("redis-server", words, { stdio: ["ignore", "pipe", "inherit"] });
  for (let log = ""; !log.includes("Ready to accept");)
    log += String(await once(child.stdout, "data"));
  child.stdout.resume();
  return { port: own, url: `redis://127.0.0.1:${own}`, child, stop: () => kill(child) };
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
