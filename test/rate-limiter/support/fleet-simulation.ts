import { acquirePermit } from "../../../src/client/retry/acquire-permit.ts";
import { toReplyInfo } from "../../../src/client/retry/attempt.ts";
import { InFlight, SerialQueue } from "../../../src/client/retry/shared-queue.ts";
import { parseReplyHead } from "../../../src/client/http/reply-head.ts";
import { createSleeper } from "../../../src/output/wait-notice.ts";
import type { Clock } from "../../../src/platform/io.ts";
import { FleetLimiter } from "../../../src/rate-limiter/fleet-limiter.ts";
import { LocalLimiter } from "../../../src/rate-limiter/local-limiter.ts";
import type { Limiter } from "../../../src/rate-limiter/types.ts";
import { mulberry32 } from "../../../src/server/seed/generate.ts";
import { recordOutput } from "../../support/command/terminal.ts";
import { FakeServer } from "./fake-stream.ts";
import { sharedLog } from "./shared-log.ts";

/** Processes that send one request each, some at a time. Times in ms. */
export interface FleetScene {
  readonly seed: number;
  readonly processes: number;
  readonly atATime: number;
  /** On how many machines; undefined for one without a shared server. */
  readonly machines: number | undefined;
  readonly limit: number;
  readonly windowMs: number;
  /** The CPU time that it takes to start a process, and how many start at once. */
  readonly startMs: number;
  readonly processors: number;
  /** The maximum latency of the service, and of the limiter's server. */
  readonly latencyMs: number;
  readonly serverMs: number;
}

/** The result of a simulation. */
export interface FleetSight {
  readonly refused: number;
  readonly totalMs: number;
  /** The minimum time: until the last window that the requests need begins. */
  readonly leastMs: number;
}

/** Runs the scene in simulated time, with the waits of the program itself. */
export async function simulateFleet(scene: FleetScene): Promise<FleetSight> {
  const { limit, windowMs, machines = 1 } = scene;
  const random = mulberry32(scene.seed);
  const time = new MadeUpTime();
  const start = Math.ceil(Date.UTC(2026, 10, 21, 12) / windowMs) * windowMs;
  const texts = Array.from({ length: machines }, () => ({ text: "" }));
  const server = new FakeServer(() => start + 7_000_000 + Math.floor(time.now));
  const counts = new Map<number, number>();
  let refused = 0;

  /** The service: fixed windows on its own clock, whole seconds in its headers. */
  const serve = (): { status: number; headers: Record<string, string> } => {
    const at = start + time.now;
    const window = Math.floor(at / windowMs);
    const count = (counts.get(window) ?? 0) + 1;
    counts.set(window, count);
    if (count > limit) refused += 1;
    const reset = ((window + 1) * windowMs) / 1000;
    return {
      status: count > limit ? 429 : 200,
      headers: {
        date: new Date(at).toUTCString(),
        "x-ratelimit-limit": `${limit}`,
        "x-ratelimit-remaining": `${Math.max(0, limit - count)}`,
        "x-ratelimit-reset": `${reset}`,
        ...(count > limit && { "retry-after": `${Math.ceil(reset - at / 1000)}` }),
      },
    };
  };

  /** A process on its machine, whose clock is hours ahead. */
  const limiterOf = (pid: number): { limiter: Limiter; clock: Clock } => {
    const machine = pid % machines;
    const uptime = (): number => machine * 3_600_000 + Math.floor(time.now);
    const wall = (): number => start + machine * 5 * 3_600_000 + Math.floor(time.now);
    const clock = { now: wall, monotonic: () => time.now, sleep: (ms: number) => time.sleep(ms) };
    const local = new LocalLimiter({
      openLog: (stamp) => sharedLog(texts[machine] ?? { text: "" }, stamp),
      clock,
      machine: { pid, isAlive: () => true, uptime, bootId: () => `b${machine}` },
      random,
      schedule: (step) => void time.sleep(0).then(step),
      onDegraded: () => {},
      every: () => () => {},
    });
    if (scene.machines === undefined) return { limiter: local, clock };
    const limiter = new FleetLimiter({
      local,
      url: "redis://here",
      connect: async () => ({
        close: () => {},
        step: async (step) => {
          await time.sleep(scene.serverMs / 2);
          const reply = server.run(step);
          await time.sleep(scene.serverMs / 2);
          return reply;
        },
      }),
      now: () => ({ boot: `b${machine}`, uptime: uptime(), wall: wall() }),
      knownTrouble: () => undefined,
      onTrouble: () => {},
      required: undefined,
      every: () => () => {},
    });
    return { limiter, clock };
  };

  const runProcess = async (pid: number): Promise<void> => {
    await time.compute(scene.startMs, scene.processors);
    const { limiter, clock } = limiterOf(pid);
    const { signal } = new AbortController();
    const sleeper = { stderr: recordOutput(), clock, signal, quiet: true, maxWaitMs: Infinity };
    const options = { limiter, clock, random, signal, timeoutMs: 30_000, maxWaitMs: Infinity };
    const shared = { queue: new SerialQueue(), inFlight: new InFlight() };
    for (let status = 0; status !== 200;) {
      const request = { waitedMs: 0, attempts: 0 };
      const wait = createSleeper(sleeper);
      const permit = await acquirePermit({ ...options, wait }, shared, request);
      await time.sleep(random() * scene.latencyMs);
      if (!limiter.revalidate(permit.id)) {
        limiter.cancel(permit.id);
        shared.inFlight.remove();
        continue;
      }
      const reply = serve();
      status = reply.status;
      await time.sleep(random() * scene.latencyMs);
      const head = parseReplyHead(status, reply.headers, clock.now());
      const delay = { ms: head.retryAfter ?? 0, extraMs: 0, announcedMs: head.retryAfter ?? 0 };
      limiter.complete(permit.id, toReplyInfo(head, status === 200 ? undefined : delay));
      shared.inFlight.remove();
    }
    await limiter.close();
  };

  const queue = Array.from({ length: scene.processes }, (_none, place) => place + 1);
  const work = async (): Promise<void> => {
    for (let pid = queue.shift(); pid !== undefined; pid = queue.shift()) await runProcess(pid);
  };
  await time.run(Array.from({ length: scene.atATime }, work));
  const needed = Math.ceil(scene.processes / limit);
  const first = Math.min(...counts.keys());
  return {
    refused,
    totalMs: time.now,
    leastMs: (first + needed - 1) * windowMs - start,
  };
}

/** A clock that advances only while everyone sleeps. */
class MadeUpTime {
  now = 0;
  #sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  /** When each processor is free. */
  #free: number[] = [];

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => this.#sleepers.push({ at: this.now + ms, wake }));
  }

  /** Waits for one of `processors`, and uses it for `ms`. */
  compute(ms: number, processors: number): Promise<void> {
    this.#free = [...this.#free, ...Array<number>(processors).fill(0)].slice(0, processors);
    this.#free.sort((a, b) => a - b);
    const end = Math.max(this.now, this.#free[0] ?? 0) + ms;
    this.#free[0] = end;
    return this.sleep(end - this.now);
  }

  /** Advances the time until all of `work` is done. */
  async run(work: readonly Promise<void>[]): Promise<void> {
    let isDone = false;
    const all = Promise.all(work).finally(() => (isDone = true));
    for (;;) {
      // Everything that follows from the last step happens at the same simulated time.
      await new Promise(setImmediate);
      if (isDone) break;
      this.#sleepers.sort((a, b) => a.at - b.at);
      const next = this.#sleepers.shift();
      if (next === undefined) throw new Error("everyone waits for nothing");
      this.now = Math.max(this.now, next.at);
      next.wake();
    }
    await all;
  }
}
