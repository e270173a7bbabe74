import { describe, expect, it } from "vitest";
import { SharedStream } from "../../../../src/rate-limiter/log/redis/shared-stream.ts";
import type { Stream } from "../../../../src/rate-limiter/log/redis/stream.ts";
import type { LimiterEvent } from "../../../../src/rate-limiter/rules/records.ts";
import { FakeServer } from "../../support/fake-stream.ts";
import { release, reserve } from "../../support/records.ts";

const noon = Date.UTC(2026, 10, 21, 12);

/** A machine's log on `server`; `news` is what it adds to a stream that it has read from its beginning. */
function openOn(server: FakeServer, news: readonly LimiterEvent[] = [], known?: string) {
  const problems: string[] = [];
  let connections = 0;
  const log = new SharedStream({
    connect: async (): Promise<Stream> => {
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
