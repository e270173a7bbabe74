import { describe, expect, it } from "vitest";
import { StreamReplica } from "../../../../src/rate-limiter/log/redis/replica.ts";
import { encodeEntry } from "../../../../src/rate-limiter/log/redis/stream.ts";
import { decide } from "../../../../src/rate-limiter/rules/decision.ts";
import type { LimiterEvent, Timestamp } from "../../../../src/rate-limiter/rules/records.ts";
import { FakeServer } from "../../support/fake-stream.ts";
import { ok, refused, reserve } from "../../support/records.ts";

const noon = Date.UTC(2026, 10, 21, 12);

/** A server, and a clock that it shares with all machines, each with its own start of counting. */
function setUp() {
  const time = { ms: 0, stepMs: 0 };
  const server = new FakeServer(() => noon + time.ms + time.stepMs);
  const write = (...events: readonly LimiterEvent[]): void => {
    const records = events.map((event) => ({ stamp: { boot: "", uptime: 0, wall: 0 }, event }));
    server.run({ after: "0-0", add: encodeEntry({ records }) });
  };
  const machine = (bootedAt: number) => {
    const replica = new StreamReplica();
    const now = (): Timestamp => ({ boot: `b${bootedAt}`, uptime: bootedAt + time.ms, wall: 5 });
    const read = (): boolean => replica.read(server.run({ after: replica.lastId }), now());
    return { replica, now, read };
  };
  return { time, server, write, machine };
}

describe("StreamReplica", () => {
  it("converts what all machines wrote to the timeline of its own", () => {
    const { time, write, machine } = setUp();
    const [early, late] = [machine(100), machine(7_000_000)];
    write(reserve("a"));
    write(refused("a", 5000));
    time.ms = 2000;
    for (const { read } of [early, late]) read();
    expect(early.replica.state.backoff?.until).toBe(5100);
    expect(late.replica.state.backoff?.until).toBe(7_005_000);
  });

  it("does not shift what it has read when the server's clock steps", () => {
    const { time, write, machine } = setUp();
    const { replica, read } = machine(0);
    write(refused("a", 60_000));
    read();
    for (const stepMs of [3_600_000, -3_600_000]) {
      time.stepMs = stepMs;
      write(reserve(`r${stepMs}`));
      read();
      expect(replica.state.backoff?.until).toBe(60_000);
    }
    expect(replica.state.permits.get("r-3600000")?.at).toBe(0);
  });

  it("reaches the same state from a snapshot, of which the highest wins", () => {
    const { time, server, write, machine } = setUp();
    const { replica, read, now } = machine(0);
    write(reserve("a"), reserve("b"));
    read();
    const older = replica.snapshot(now());
    time.ms = 500;
    write(ok("a", 4));
    read();
    time.ms = 900;
    server.run({ after: "0-0", ...replica.snapshot(now()) });
    server.run({ after: "0-0", add: older.add });
    time.ms = 1000;
    write(refused("b", 8000));
    read();
    const other = machine(50_000);
    expect(other.read()).toBe(true);
    expect(other.replica.state.backoff?.until).toBe(59_000);
    expect([...other.replica.state.permits.keys()]).toEqual([...replica.state.permits.keys()]);
    expect(other.replica.state.windows).toMatchObject([{ remaining: 4, endsAt: 110_500 }]);
    expect(server.entries).toHaveLength(4);
  });

  it("is rebuilt at first, and if unread or all entries are gone", () => {
    const { time, server, write, machine } = setUp();
    const { replica, read } = machine(0);
    expect([read(), read()]).toEqual([true, false]);
    write(reserve("a"));
    expect(read()).toBe(true);
    write(reserve("b"));
    expect(read()).toBe(false);
    server.flush();
    time.ms = 10;
    write(reserve("c"));
    expect(read()).toBe(true);
    expect([...replica.state.permits.keys()]).toEqual(["c"]);
    server.flush();
    expect([read(), read()]).toEqual([true, false]);
    expect(replica.state.permits.size).toBe(0);
  });

  it("applies once what two concurrent steps have read", () => {
    const { server, write, machine } = setUp();
    const { replica, read, now } = machine(0);
    write(reserve("a"));
    read();
    const after = replica.lastId;
    write(reserve("b"));
    const first = server.run({ after });
    write({ kind: "lost", id: "b" });
    const second = server.run({ after });
    replica.read(first, now());
    replica.read(second, now());
    expect(replica.state.permits.has("b")).toBe(false);
    expect(replica.state.uncounted.count).toBe(1);
  });

  it("skips invalid entries, and limits a back-off to 24 h", () => {
    const { server, write, machine } = setUp();
    const { replica, read } = machine(0);
    server.run({ after: "0-0", add: ["r", "nonsense"] });
    server.run({ after: "0-0", add: encodeEntry({ records: [], covers: "99999999999999-0" }) });
    write(refused("a", 1e12));
    read();
    expect(replica.state.backoff?.until).toBe(24 * 60 * 60_000);
  });

  it("rejects entries from the far future, which would stop its time", () => {
    const { server, time, write, machine } = setUp();
    const { read } = machine(0);
    time.stepMs = 25 * 60 * 60_000;
    write(refused("a", 60_000));
    time.stepMs = 0;
    expect(() => read()).toThrow("its entries are from the future");
    expect(server.entries).toHaveLength(1);
  });

  it.each<[string, LimiterEvent]>([
    ["a wait", refused("a", 1e12)],
    ["a window", ok("a", 0, 1e12)],
    ["a window of a snapshot", { ...ok("a", 0, 1e12), kind: "limits" }],
  ])("is not held up by %s for over 24 h, whatever time its record names", (_name, event) => {
    const { time, server, machine } = setUp();
    const future = { boot: "", uptime: 1e12, wall: 0 };
    server.run({ after: "0-0", add: encodeEntry({ records: [{ stamp: future, event }] }) });
    const hour = 60 * 60_000;
    time.ms = 23 * hour;
    const { replica, now, read } = machine(5000);
    read();
    const decided = decide(replica.state, now().uptime);
    expect(decided).toMatchObject({ go: false, ms: hour });
    time.ms = 24 * hour + 1;
    const other = machine(0);
    other.read();
    expect(other.replica.state.backoff?.until ?? 0).toBeLessThanOrEqual(other.now().uptime);
    expect(decide(other.replica.state, other.now().uptime)).toMatchObject({ go: true });
  });
});
