import { randomInt } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { startRedisServer } from "../../support/databases/redis-server.ts";
import { freePort } from "../../support/servers/free-port.ts";
import { doRun, type Run, type RunResult } from "./processes.ts";
import { shortfalls, tableHead, tableLine } from "./table.ts";

const machines = 3;
/** The extra latency of the slow server, in ms. */
const delayMs = 20;
/** When the server is killed, and when it is started again, in ms. */
const killedAfterMs = 5000;
const startedAfterMs = 10_000;
/** The allowed ratio to the minimum time (`help fleet`). */
const mostOfLeast = 1.15;

/**
 * Runs 90 processes on three machines with their own state folders and clocks hours apart, which share a
 * limiter through Redis.
 */
export async function runFleet(): Promise<readonly string[]> {
  const seed = Number(process.env.PETS_BENCH_SEED ?? randomInt(2 ** 32));
  console.log(`90 processes on three machines, 24 at a time, on 20 requests per 4 s; killed by
PETS_BENCH_SEED=${seed}. Each window needs 20 new processes: where others use the processors, a
window passes before they have started. Load average now: ${loadavg()[0]?.toFixed(1)}.\n${tableHead}`);
  const port = await freePort();
  const slow = await slowProxy(port);
  const base = { kills: 0, machines } as const;
  const fleet = { ...base, limiter: `redis://127.0.0.1:${port}` };
  const slowFleet = { ...base, limiter: `redis://127.0.0.1:${slow.port}` };
  const short = [
    ...(await judged({ ...fleet, name: "a fleet" }, seed, port)),
    ...(await judged({ ...fleet, name: "a fleet, 13 killed", kills: 13 }, seed, port)),
    ...(await judged({ ...slowFleet, name: `a fleet, ${delayMs} ms away` }, seed, port)),
    ...(await withProblem({ ...fleet, name: "a fleet, its server killed" }, seed, port)),
  ];
  slow.server.close();
  return short;
}

async function judged(run: Run, seed: number, port: number): Promise<readonly string[]> {
  const redis = await startRedisServer(port);
  const result = await doRun(run, seed, 0);
  await redis.stop();
  return told(run, result, shortfalls(result, run.kills, mostOfLeast));
}

/**
 * The same with the server killed in the middle and restarted: every process finishes, and none sends during
 * a wait that its own machine was asked for.
 */
async function withProblem(run: Run, seed: number, port: number): Promise<readonly string[]> {
  let redis = await startRedisServer(port);
  const problem = (async () => {
    await sleep(killedAfterMs);
    await redis.stop();
    await sleep(startedAfterMs - killedAfterMs);
    redis = await startRedisServer(port);
  })();
  const result = await doRun(run, seed, 0);
  await problem;
  await redis.stop();
  const failed = [...result.outcomes].filter(([outcome]) => outcome !== 0);
  return told(run, result, [
    ...failed.map(([outcome, count]) => `${count} ended with ${outcome}`),
    ...(result.insideOwn === 0 ? [] : [`${result.insideOwn} inside a wait of its own machine`]),
  ]);
}

function told(run: Run, result: RunResult, short: readonly string[]): readonly string[] {
  console.log(tableLine(run.name, result));
  return short.map((text) => `${run.name}: ${text}`);
}

/** Starts a proxy that forwards everything to `port`, and delays its answers. */
async function slowProxy(port: number): Promise<{ server: Server; port: number }> {
  const server = createServer((client: Socket) => {
    const upstream = connect(port, "127.0.0.1");
    client.pipe(upstream);
    upstream.on("data", (chunk) => setTimeout(() => client.write(chunk), delayMs));
    upstream.on("close", () => client.destroy());
    for (const socket of [client, upstream]) socket.on("error", () => socket.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return { server, port: typeof address === "object" && address ? address.port : 0 };
}
