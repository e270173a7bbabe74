import { execFileSync } from "node:child_process";
import { connectStream } from "../../../src/rate-limiter/log/redis/connection.ts";
import { SharedStream } from "../../../src/rate-limiter/log/redis/shared-stream.ts";
import { startRedisServer } from "./redis.ts";

const requests = 10_000;
const sampleEvery = 50;
/** Its bounds (`help fleet`). */
const maxEntries = 3000;
const maxBytes = 512 * 1024;
const key = "pets:bench";

/** Measures the length and memory of a key's stream, at most and after 10,000 requests. */
export async function measureFleetStream(): Promise<readonly string[]> {
  const redis = await startRedisServer();
  const ask = (...words: readonly string[]): number =>
    Number(execFileSync("redis-cli", ["-p", `${redis.port}`, ...words], { encoding: "utf8" }));
  const address = { host: "127.0.0.1", port: redis.port, tls: false, database: 0 };
  const log = new SharedStream({
    connect: () => connectStream(address, key),
    now: () => ({ boot: "bench", uptime: performance.now(), wall: Date.now() }),
    knownTrouble: () => undefined,
    onTrouble: (reason) => console.error(reason),
    onRead: () => {},
    onRebuilt: () => [],
  });
  const most = { entries: 0, bytes: 0 };
  const limits = { limit: 60, remaining: 30, reset: Date.now(), endsIn: 60_000 };
  for (let request = 1; request <= requests; request += 1) {
    const id = `r${request}`;
    await log.step([{ kind: "reserve", id, pid: 0, lifeMs: 32_000 }], () => {});
    await log.step([{ kind: "reply", id, status: 200, limits }], () => {});
    if (request % sampleEvery > 0) continue;
    most.entries = Math.max(most.entries, ask("XLEN", key));
    most.bytes = Math.max(most.bytes, ask("MEMORY", "USAGE", key));
  }
  console.log(`The stream of a key after ${requests} requests: ${ask("XLEN", key)} entries, ${ask("MEMORY", "USAGE", key)} bytes of
memory; at most ${most.entries} entries (under ${maxEntries} wanted) and ${most.bytes} bytes (under ${maxBytes})`);
  await log.close();
  await redis.stop();
  return [
    ...(most.entries < maxEntries ? [] : [`a stream of ${most.entries} entries`]),
    ...(most.bytes < maxBytes ? [] : [`a stream of ${most.bytes} bytes`]),
  ];
}
