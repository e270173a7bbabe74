import { describe, expect, it } from "vitest";
import { FleetLimiter, type FleetLimiterOptions } from "../../src/rate-limiter/fleet-limiter.ts";
import { LocalLimiter, type LocalLimiterOptions } from "../../src/rate-limiter/local-limiter.ts";
import type { ReplyInfo } from "../../src/rate-limiter/rules/records.ts";
import type { AcquireResult } from "../../src/rate-limiter/types.ts";
import { FakeServer } from "./support/fake-stream.ts";
import { startedAt } from "./support/records.ts";
import { type SharedText, sharedLog } from "./support/shared-log.ts";

const lifeMs = 32_000;

/** A server, and a clock that all machines share, hours apart. */
function setUp() {
  const time = { ms: 0 };
  const server = new FakeServer(() => startedAt + time.ms);
  let pids = 0;

  /** Returns a machine: its log, and a function that starts processes on it. */
  const machine = (hours: number) => {
    const shared: SharedText = { text: "" };
    const uptime = (): number => hours * 3_600_000 + time.ms;
    const now = () => ({ boot: `b${hours}`, uptime: uptime(), wall: startedAt + uptime() });
    const process = (more: Partial<FleetLimiterOptions> = {}) => {
      pids += 1;
      const pid = pids;
      const problems: string[] = [];
      const createLocal = (onEvent?: LocalLimiterOptions["onEvent"]) =>
        new LocalLimiter({
          logs: [
            (stamp) => {
              const log = sharedLog(shared, stamp);
              log.refresh();
              return log;
            },
          ],
          now,
          machine: { pid, isAlive: () => true, tickMs: 10 },
          random: Math.random,
          onMoved: (what) => problems.push(what),
          onEvent,
        });
      const limiter = new FleetLimiter({
        createLocal,
        url: "redis://here:6379",
        connect: async () => server.connect(),
        now,
        knownProblem: () => undefined,
        onProblem: (reason) => problems.push(reason),
        required: false,
        ...more,
      });
      return { limiter, local: createLocal(), problems };
    };
    return { process, shared };
  };
  return { time, server, machine };
}

/** Acquires a permit that must be free, and returns its id. */
async function permitOf({ limiter }: { readonly limiter: FleetLimiter }): Promise<string> {
  const result = await limiter.tryAcquire(lifeMs);
  if (!result.go) throw new Error(`no permit: ${result.reason}`);
  return result.id;
}

/** Sends a request of a process, which gets this reply and ends. */
async function sendOnce({ limiter }: { readonly limiter: FleetLimiter }, reply: ReplyInfo) {
  limiter.complete(await permitOf({ limiter }), reply);
  await limiter.close();
}

const refusal = (waitMs: number): ReplyInfo => ({ status: 429, waitMs });
const success = (remaining: number, limit = 10): ReplyInfo => {
  return { status: 200, limit, remaining, reset: 1e12, endsIn: 60_000 };
};

describe("a fleet's limiter", () => {
  it("needs one round trip for a permit, and one for its reply", async () => {
    const { server, machine } = setUp();
    const own = machine(0).process();
    const id = await permitOf(own);
    expect(server.steps).toBe(1);
    own.limiter.complete(id, success(9));
    await own.limiter.close();
    expect(server.steps).toBe(2);
  });

  it("knows about a wait that another machine was asked for, and about its end", async () => {
    const { time, machine } = setUp();
    const [here, there] = [machine(0), machine(5)];
    await sendOnce(here.process(), refusal(8000));
    time.ms = 1000;
    const second = there.process();
    expect(await second.limiter.tryAcquire(lifeMs)).toMatchObject({ reason: "blocked", ms: 7000 });
    // The clock of a machine ticks in hundredths of a second.
    time.ms = 8010;
    const results: AcquireResult[] = [];
    for (const { limiter } of [there.process(), here.process()])
      results.push(await limiter.tryAcquire(lifeMs));
    expect(results).toMatchObject([{ go: true }, { go: false, reason: "probing" }]);
  });

  it("sends no second probe, whichever of two processes first reads that a wait is over", async () => {
    const { time, machine } = setUp();
    await sendOnce(machine(0).process(), refusal(1000));
    time.ms = 1010;
    const asked = [machine(5).process(), machine(-7).process()];
    const results = await Promise.all(asked.map(({ limiter }) => limiter.tryAcquire(lifeMs)));
    expect(results.filter(({ go }) => go)).toHaveLength(1);
    expect(results.find(({ go }) => !go)).toMatchObject({ reason: "probing" });
  });

  it("reads its machine's log before each send", async () => {
    const { machine } = setUp();
    const here = machine(0);
    const [own, sibling] = [here.process(), here.process()];
    own.limiter.complete(await permitOf(own), success(5));
    const id = await permitOf(own);
    expect(own.limiter.revalidate(id)).toBe(true);
    // A process without the server, on the same machine.
    const other = sibling.local.tryAcquire(lifeMs);
    sibling.local.complete("id" in other ? other.id : "", refusal(5000));
    expect(own.limiter.revalidate(id)).toBe(false);
  });

  it("sends nothing during a wait that it has read since it got its permit", async () => {
    const { machine } = setUp();
    const [own, other] = [machine(0).process(), machine(5).process()];
    own.limiter.complete(await permitOf(own), success(5));
    const id = await permitOf(own);
    await sendOnce(other, refusal(5000));
    expect(own.limiter.revalidate(id)).toBe(true);
    await own.limiter.sync();
    expect(own.limiter.revalidate(id)).toBe(false);
  });

  it("records what it reads for the processes of its machine that can't use the server", async () => {
    const { machine } = setUp();
    const [here, there] = [machine(0), machine(5)];
    await sendOnce(there.process(), refusal(60_000));
    await here.process().limiter.sync();
    const { local } = here.process();
    expect(local.tryAcquire(lifeMs)).toMatchObject({ go: false, reason: "blocked" });
  });

  it("sends one request at a time until a response has told the limits", async () => {
    const { machine } = setUp();
    const [here, there] = [machine(0).process(), machine(5).process()];
    const id = await permitOf(here);
    expect(await there.limiter.tryAcquire(lifeMs)).toMatchObject({ reason: "learning" });
    here.limiter.complete(id, { status: 200 });
    await here.limiter.close();
    const ids = [await permitOf(there), await permitOf(there)];
    expect(new Set(ids).size).toBe(2);
  });

  it("adds to a server that comes back what its machine has learned in the meantime", async () => {
    const { server, machine } = setUp();
    const [here, there] = [machine(0), machine(5)];
    server.isDown = true;
    const away = here.process();
    away.limiter.complete(await permitOf(away), refusal(60_000));
    server.isDown = false;
    const back = here.process();
    expect(await back.limiter.tryAcquire(lifeMs)).toMatchObject({ reason: "blocked" });
    await back.limiter.close();
    expect(await there.process().limiter.tryAcquire(lifeMs)).toMatchObject({ reason: "blocked" });
  });

  it("takes no permit for a request that only reads, even from a stream that was rebuilt", async () => {
    const { server, machine } = setUp();
    const own = machine(0).process();
    for (const other of [machine(5).process(), machine(7).process()]) {
      server.flush();
      other.limiter.complete(await permitOf(other), success(1));
      const id = await permitOf(other);
      expect(await own.limiter.tryAcquire(lifeMs)).toMatchObject({ reason: "used_up" });
      other.limiter.end(id, "release");
      await Promise.all([own.limiter.close(), other.limiter.close()]);
    }
    await permitOf(machine(9).process());
  });

  it("leaves the fleet's share to other commands", async () => {
    const { machine } = setUp();
    await sendOnce(machine(0).process(), success(2, 40));
    const bulk = machine(5).process();
    bulk.limiter.shareFairly(() => 100);
    expect(await bulk.limiter.tryAcquire(lifeMs)).toMatchObject({ reason: "used_up", reserved: 2 });
    expect(await machine(-7).process().limiter.tryAcquire(lifeMs)).toMatchObject({ go: true });
  });

  it("keeps the permit of a request without reply and process until its lease is over", async () => {
    const { time, machine } = setUp();
    await sendOnce(machine(0).process(), success(1));
    await permitOf(machine(0).process());
    const other = machine(5).process();
    time.ms = lifeMs - 1;
    expect(await other.limiter.tryAcquire(lifeMs)).toMatchObject({ reason: "used_up" });
    expect(other.limiter.peek()).toMatchObject({ go: false });
  });
});

/** Sends a request that asks whether the service is back, as often as it must ask for a permit. */
async function ask({ limiter }: { readonly limiter: FleetLimiter }, reply: ReplyInfo) {
  for (let turn = 0; turn < 3; turn += 1) {
    const result = await limiter.tryAcquire(lifeMs, true);
    if (!result.go) break;
    if (limiter.revalidate(result.id)) {
      limiter.complete(result.id, reply);
      await limiter.close();
      return true;
    }
    limiter.end(result.id, "release");
  }
  return false;
}

describe("a fleet's limiter, while a 503 asks to wait", () => {
  const away: ReplyInfo = { status: 503, waitMs: 3_600_000 };

  it("lets a request ask from any machine, whose success ends the wait on all", async () => {
    const { time, machine } = setUp();
    const machines = [machine(0), machine(5), machine(-7)];
    const [here, there] = machines;
    await sendOnce(machine(0).process(), away);
    // All have read it.
    for (const { process } of machines)
      expect(await process().limiter.tryAcquire(lifeMs)).toMatchObject({ reason: "blocked" });
    expect(await ask(machine(9).process(), away)).toBe(true);
    expect(await here?.process().limiter.tryAcquire(lifeMs)).toMatchObject({ reason: "blocked" });
    time.ms = 1000;
    expect(await ask(there?.process() ?? machine(0).process(), success(9))).toBe(true);
    for (const { process } of machines) await sendOnce(process(), success(5));
    await sendOnce(machine(11).process(), success(5));
  });

  it("is kept, and shared, where the server was away when it came", async () => {
    const { time, server, machine } = setUp();
    const here = machine(0);
    await sendOnce(here.process(), success(9));
    time.ms = 1000;
    server.isDown = true;
    await sendOnce(here.process(), away);
    server.isDown = false;
    for (const each of [here, machine(5), here]) {
      const { limiter } = each.process();
      expect(await limiter.tryAcquire(lifeMs)).toMatchObject({ reason: "blocked" });
      await limiter.close();
    }
  });

  it("bans with a 429 that such a request gets, on all machines", async () => {
    const { time, machine } = setUp();
    const [here, there] = [machine(0), machine(5)];
    await sendOnce(here.process(), away);
    expect(await ask(here.process(), refusal(30_000))).toBe(true);
    expect(await ask(there.process(), success(9))).toBe(false);
    expect(await ask(machine(7).process(), success(9))).toBe(false);
    time.ms = 30_010;
    expect(await ask(there.process(), success(9))).toBe(true);
    await sendOnce(here.process(), success(8));
  });
});

describe("a fleet's limiter without its server", () => {
  it("lets its machine's limiter decide, and reports that once", async () => {
    const { server, machine } = setUp();
    server.isDown = true;
    const here = machine(0);
    const { limiter, problems } = here.process();
    const id = await permitOf({ limiter });
    await permitOf({ limiter });
    expect({ problems, isFallback: limiter.isFallback }).toEqual({
      problems: ["it is down"],
      isFallback: true,
    });
    limiter.complete(id, refusal(5000));
    expect(await limiter.tryAcquire(lifeMs)).toMatchObject({ reason: "blocked" });
    expect(limiter.status().limiter).toEqual({
      url: "redis://here:6379",
      inForce: false,
      reason: "it is down",
    });
  });

  it("sends nothing if the server is required, and keeps no permit", async () => {
    const { server, machine } = setUp();
    server.isDown = true;
    const here = machine(0);
    const { limiter } = here.process({ required: true });
    await expect(limiter.tryAcquire(lifeMs)).rejects.toMatchObject({
      message: "the limiter at here:6379 is required and cannot be used: it is down",
      exitCode: 1,
    });
    expect(here.process().local.tryAcquire(lifeMs)).toMatchObject({ go: true });
  });
});
