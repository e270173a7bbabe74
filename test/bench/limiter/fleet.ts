import { connect, createServer, type Server, type Socket } from "node:net";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { startRedisServer } from "../../support/databases/redis-server.ts";
import { freePort, listen } from "../../support/servers/free-port.ts";
import type { Run } from "./processes.ts";
import { allWanted, failures, judge, tableHead } from "./table.ts";

/** The extra latency of the slow server, in ms. */
const delayMs = 20;
/** When the server is killed, and for how long, in ms. */
const killedAfterMs = 5000;
const awayMs = 5000;
/** The allowed ratio to the minimum time (`help fleet`). */
const maxOfLeast = 1.15;

/**
 * Runs 90 processes on three machines with their own state folders and clocks hours apart, which share a
 * limiter through Redis.
 */
export async function runFleet(): Promise<readonly string[]> {
  console.log(`90 processes on three machines, 24 at a time, on 20 requests per 4 s. Each window needs 20 new
processes: where others use the processors, a window passes before they have started. Load average now: ${loadavg()[0]?.toFixed(1)}.
${tableHead}`);
  const port = await freePort();
  const slow = slowProxy(port);
  const fleet = { kills: 0, machines: 3, limiter: `redis://127.0.0.1:${port}` };
  const slowFleet = { ...fleet, limiter: `redis://127.0.0.1:${await listen(slow)}` };
  const missed = [
    ...(await judgeWith(port, { ...fleet, name: "a fleet" })),
    ...(await judgeWith(port, { ...fleet, name: "a fleet, 13 killed", kills: 13 })),
    ...(await judgeWith(port, { ...slowFleet, name: `a fleet, ${delayMs} ms away` })),
    ...(await judgeWithProblem(port, { ...fleet, name: "a fleet, its server killed" })),
  ];
  slow.close();
  return missed;
}

async function judgeWith(port: number, run: Run): Promise<readonly string[]> {
  const redis = await startRedisServer(port);
  const missed = await judge(run, allWanted(maxOfLeast));
  await redis.stop();
  return missed;
}

/**
 * The same with the server killed in the middle and restarted: every process finishes, and none sends during
 * a wait that its own machine was asked for.
 */
async function judgeWithProblem(port: number, run: Run): Promise<readonly string[]> {
  const redis = await startRedisServer(port);
  const restarted = (async () => {
    await sleep(killedAfterMs);
    await redis.stop();
    await sleep(awayMs);
    return startRedisServer(port);
  })();
  const missed = await judge(run, (result) => [
    ...failures(result),
    ...(result.insideOwn === 0 ? [] : [`${result.insideOwn} inside a wait of its own machine`]),
  ]);
  await (await restarted).stop();
  return missed;
}

/** Starts a proxy that forwards everything to `port`, and delays its answers. */
function slowProxy(port: number): Server {
  return createServer((client: Socket) => {
    const upstream = connect(port, "127.0.0.1");
    client.pipe(upstream);
    upstream.on("data", (chunk) => setTimeout(() => client.write(chunk), delayMs));
    upstream.on("close", () => client.destroy());
    for (const socket of [client, upstream]) socket.on("error", () => socket.destroy());
  });
}
