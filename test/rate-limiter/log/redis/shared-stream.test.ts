import { describe, expect, it } from "vitest";
import { encodeEntry } from "../../../../src/rate-limiter/log/redis/entries.ts";
import { SharedStream } from "../../../../src/rate-limiter/log/redis/shared-stream.ts";
import { decide } from "../../../../src/rate-limiter/rules/decision.ts";
import type { LimiterEvent, Timestamp } from "../../../../src/rate-limiter/rules/records.ts";
import { FakeServer } from "../../support/fake-stream.ts";
import { ok, refused, release, reserve } from "../../support/records.ts";

const noon = Date.UTC(2026, 10, 21, 12);

/** A machine's log on `server`; `news` is what it adds to a stream that it has read from its beginning. */
function openOn(server: FakeServer, news: readonly LimiterEvent[] = [], known?: string) {
  const problems: string[] = [];
  let connections = 0;
  const log = new SharedStream({
    connect: async () => {
      connections += 1;
      return server.connect();
    },
    now: () => ({ boot: "boot", uptime: 0, wall: 0 }),
    knownProblem: () => known,
    onProblem: (reason) => problems.push(reason),
    onRead: () => {},
    onRebuilt: () => news,
  });
  return { log, problems, connections: () => connections };
}

/** A server, and a clock that it shares with all machines, each with its own start of counting. */
function setUp() {
  const time = { ms: 0, stepMs: 0 };
  const server = new FakeServer(() => noon + time.ms + time.stepMs);
  const write = (...events: readonly LimiterEvent[]): void => {
    const add = encodeEntry(events.map((event) => [0, event]));
    server.run({ after: "0-0", add });
  };
  const machine = (bootedAt: number) => {
    const now = (): Timestamp => ({ boot: `b${bootedAt}`, uptime: bootedAt + time.ms, wall: 5 });
    let rebuilt = 0;
    const log = new SharedStream({
      connect: async () => server.connect(),
      now,
      knownProblem: () => undefined,
      onProblem: () => {},
      onRead: () => {},
      onRebuilt: () => {
        rebuilt += 1;
        return [];
      },
    });
    /** Reads the stream; returns whether the state was rebuilt. */
    const read = async (): Promise<boolean> => {
      const before = rebuilt;
      await log.step(undefined, () => {});
      return rebuilt > before;
    };
    return { log, now, read };
  };
  return { time, server, write, machine };
}

describe("the state of a stream", () => {
  it("converts what all machines wrote to the timeline of its own", async () => {
    const { time, write, machine } = setUp();
    const [early, late] = [machine(100), machine(7_000_000)];
    write(reserve("a"));
    write(refused("a", 5000));
    time.ms = 2000;
    await Promise.all([early.read(), late.read()]);
    expect(early.log.state.backoff?.until).toBe(5100);
    expect(late.log.state.backoff?.until).toBe(7_005_000);
  });

  it("does not shift what it has read when the server's clock steps", async () => {
    const { time, write, machine } = setUp();
    const { log, read } = machine(0);
    write(refused("a", 60_000));
    await read();
    for (const stepMs of [3_600_000, -3_600_000]) {
      time.stepMs = stepMs;
      write(reserve(`r${stepMs}`));
      await read();
      expect(log.state.backoff?.until).toBe(60_000);
    }
    expect(log.state.permits.get("r-3600000")?.at).toBe(0);
  });

  it("is the same from a snapshot", async () => {
    const { time, server, write, machine } = setUp();
    const { log, read } = machine(0);
    write(reserve("a"), reserve("b"));
    await read();
    time.ms = 500;
    write(ok("a", 4));
    // After so many entries the reader writes one, and later ones follow it.
    for (let turn = 0; turn < 500; turn += 1) write(release("none"));
    time.ms = 900;
    await read();
    await log.close();
    time.ms = 1000;
    write(refused("b", 8000));
    await read();
    expect(server.entries).toHaveLength(3);
    const other = machine(50_000);
    expect(await other.read()).toBe(true);
    expect(other.log.state.backoff?.until).toBe(59_000);
    expect([...other.log.state.permits.keys()]).toEqual([...log.state.permits.keys()]);
    expect(other.log.state.windows).toMatchObject([{ remaining: 4, endsAt: 110_500 }]);
  });

  it("is rebuilt at first, and if unread or all entries are gone", async () => {
    const { time, server, write, machine } = setUp();
    const { log, read } = machine(0);
    expect([await read(), await read()]).toEqual([true, false]);
    write(reserve("a"));
    expect(await read()).toBe(true);
    write(reserve("b"));
    expect(await read()).toBe(false);
    server.flush();
    time.ms = 10;
    write(reserve("c"));
    expect(await read()).toBe(true);
    expect([...log.state.permits.keys()]).toEqual(["c"]);
    server.flush();
    expect([await read(), await read()]).toEqual([true, false]);
    expect(log.state.permits.size).toBe(0);
  });

  it("has once what two concurrent steps have read", async () => {
    const { write, machine } = setUp();
    const { log, read } = machine(0);
    write(reserve("a"));
    await read();
    write(reserve("b"));
    const first = read();
    write({ kind: "lost", id: "b" });
    await Promise.all([first, read()]);
    expect(log.state.permits.has("b")).toBe(false);
    expect(log.state.uncounted.count).toBe(1);
  });

  it("skips invalid entries, and limits a back-off to 24 h", async () => {
    const { server, write, machine } = setUp();
    const { log, read } = machine(0);
    server.run({ after: "0-0", add: ["r", "nonsense"] });
    server.run({ after: "0-0", add: encodeEntry([], "99999999999999-0") });
    write(refused("a", 1e12));
    await read();
    expect(log.state.backoff?.until).toBe(24 * 60 * 60_000);
  });

  it("rejects entries from the far future, which would stop its time", async () => {
    const { server, time, write, machine } = setUp();
    const { log, read } = machine(0);
    time.stepMs = 25 * 60 * 60_000;
    write(refused("a", 60_000));
    time.stepMs = 0;
    await read();
    expect(log.problem).toBe("its entries are from the future");
    expect(server.entries).toHaveLength(1);
  });

  it.each<[string, LimiterEvent]>([
    ["a wait", refused("a", 1e12)],
    ["a window", ok("a", 0, 1e12)],
    ["a window of a snapshot", { ...ok("a", 0, 1e12), kind: "limits" }],
  ])("is not held up by %s for over 24 h, whatever time its record names", async (_name, event) => {
    const { time, server, machine } = setUp();
    server.run({ after: "0-0", add: encodeEntry([[1e12, event]]) });
    const hour = 60 * 60_000;
    time.ms = 23 * hour;
    const { log, now, read } = machine(5000);
    await read();
    const decided = decide(log.state, now().uptime);
    expect(decided).toMatchObject({ go: false, ms: hour });
    time.ms = 24 * hour + 1;
    const other = machine(0);
    await other.read();
    expect(other.log.state.backoff?.until ?? 0).toBeLessThanOrEqual(other.now().uptime);
    expect(decide(other.log.state, other.now().uptime)).toMatchObject({ go: true });
  });
});

describe("SharedStream", () => {
  it("stays small, however much is written", async () => {
    const server = new FakeServer(() => noon);
    const logs = [openOn(server), openOn(server), openOn(server)];
    let [longest, largest] = [0, 0];
    for (let turn = 0; turn < 2000; turn += 1) {
      const { log } = logs[turn % 3] ?? openOn(server);
      await log.step([reserve(`r${turn}`)], () => {});
      await log.step([release(`r${turn}`)], () => {});
      longest = Math.max(longest, server.entries.length);
      if (turn % 50 === 0)
        largest = Math.max(largest, server.entries.flatMap(({ fields }) => fields).join("").length);
    }
    expect(longest).toBeLessThan(3000);
    expect(largest).toBeLessThan(512 * 1024);
  });

  it("stays small, even if others write invalid entries", async () => {
    const server = new FakeServer(() => noon);
    for (let turn = 0; turn < 1000; turn += 1) server.run({ after: "0-0", add: ["x", "y"] });
    const { log } = openOn(server);
    await log.step([reserve("a")], () => {});
    await log.close();
    expect(server.entries.length).toBeLessThan(10);
    expect([...log.state.permits.keys()]).toEqual(["a"]);
  });

  it("gets again what it has lost, and what it never received", async () => {
    const server = new FakeServer(() => noon);
    const { log } = openOn(server, [reserve("mine")]);
    await log.step(undefined, () => {});
    await log.close();
    expect([...log.state.permits.keys()]).toEqual(["mine"]);
    server.flush();
    await log.step([reserve("b")], () => {});
    await log.close();
    expect([...log.state.permits.keys()]).toEqual(["b", "mine"]);
  });

  it("is not written to if it is only read, and nobody has news", async () => {
    const server = new FakeServer(() => noon);
    const { log } = openOn(server);
    await log.step(undefined, () => {});
    await log.close();
    expect(server.entries).toEqual([]);
  });

  it("is read from its beginning if a failover has set it back", async () => {
    let now = noon;
    const server = new FakeServer(() => now);
    const { log } = openOn(server);
    await log.step([reserve("a")], () => {});
    now -= 60_000;
    const other = new FakeServer(() => now);
    Object.assign(server, { run: other.run.bind(other) });
    expect(await log.step([reserve("b")], () => [...log.state.permits.keys()])).toEqual(["b"]);
  });

  it("ends with the first failure, which is reported once", async () => {
    const server = new FakeServer(() => noon);
    const { log, problems } = openOn(server);
    await log.step([reserve("a")], () => {});
    server.isDown = true;
    expect(await log.step([reserve("b")], () => 1)).toBeUndefined();
    server.isDown = false;
    expect(await log.step([reserve("c")], () => 1)).toBeUndefined();
    expect({ problems, inForce: log.isInForce }).toEqual({
      problems: ["it is down"],
      inForce: false,
    });
  });

  it("ends its work even if it loses whatever is written to it", async () => {
    const server = new FakeServer(() => noon);
    const { log, problems } = openOn(server, [reserve("mine")]);
    const run = server.run.bind(server);
    Object.assign(server, {
      run: (step: Parameters<typeof run>[0]) => {
        server.flush();
        return run(step);
      },
    });
    expect(await log.step([reserve("a")], () => [...log.state.permits.keys()])).toEqual(["a"]);
    await log.close();
    expect(problems).toEqual([]);
  });

  it("is not used if it was found unreachable a moment ago", async () => {
    const { log, problems, connections } = openOn(new FakeServer(() => noon), [], "it was away");
    expect(await log.step(undefined, () => 1)).toBeUndefined();
    expect([log.problem, problems, connections()]).toEqual(["it was away", [], 0]);
  });
});
