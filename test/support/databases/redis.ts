import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { hasProgram } from "../program/has-program.ts";
import { temporaryFolder } from "../program/program.ts";
import { listen } from "../servers/free-port.ts";
import { type RedisProcess, startRedisServer } from "./redis-server.ts";

export const redisAvailable = hasProgram("redis-server");

/** Starts a Redis server; it is killed when the test ends. */
export async function startRedis(
  options: readonly string[] = [],
  at?: number,
): Promise<RedisProcess> {
  const redis = await startRedisServer(at, ["--dir", temporaryFolder(), ...options]);
  onTestFinished(() => {
    redis.child.kill("SIGCONT");
    redis.child.kill("SIGKILL");
  });
  return redis;
}

/** Starts a proxy for `port` that records what clients have sent, and what the server has replied. */
export async function tapRedis(port: number) {
  const [sent, answered]: [Buffer[], Buffer[]] = [[], []];
  const server = createServer((client: Socket) => {
    const upstream = connect(port, "127.0.0.1");
    client.on("data", (chunk) => sent.push(chunk));
    upstream.on("data", (chunk) => answered.push(chunk));
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on("error", () => {});
  });
  onTestFinished(() => void server.close());
  return {
    url: `redis://127.0.0.1:${await listen(server)}`,
    sent: () => Buffer.concat(sent).toString("latin1"),
    answered: () => Buffer.concat(answered).toString("latin1"),
  };
}
