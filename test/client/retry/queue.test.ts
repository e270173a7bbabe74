import { describe, expect, it } from "vitest";
import { Queue } from "../../../src/client/retry/queue.ts";
import { createSleeper } from "../../../src/output/wait-notice.ts";
import { makeClock } from "../../../src/platform/clock.ts";
import { startTestStore } from "../../support/store.ts";
import { recordOutput } from "../../support/terminal.ts";
import { connect, rex, serve } from "../support/service.ts";

describe("Queue", () => {
  it("lets one after the other in, whatever becomes of each", async () => {
    const queue = new Queue();
    const done: string[] = [];
    const enter = (name: string, fails = false) =>
      queue.run(async () => {
        done.push(`${name} in`);
        await new Promise(setImmediate);
        done.push(`${name} out`);
        if (fails) throw new Error(name);
        return name;
      });
    const all = [enter("a"), enter("b", true), enter("c")];
    expect(queue.isEmpty).toBe(false);
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(done).toEqual(["a in", "a out", "b in", "b out", "c in", "c out"]);
    expect(queue.isEmpty).toBe(true);
  });
});

describe("many requests at once of one client", () => {
  it("count only their own turn at the gate as a wait, and tell of it once", async () => {
    const windows = { minute: 2000, day: 86_400_000 };
    const store = await startTestStore({ plan: "5/min,1000/day", windows });
    const clock = makeClock(() => process.hrtime.bigint());
    const stderr = recordOutput();
    const { signal } = new AbortController();
    const { api } = connect(new URL(store.baseUrl), {
      apiKey: store.apiKey,
      clock,
      // The next window begins within it; the last of them wait for the one after the next.
      maxWaitMs: 3500,
      wait: createSleeper({ stderr, clock, signal, quiet: false, maxWaitMs: 3500 }),
    });
    const names = Array.from({ length: 20 }, (_none, n) => `Pet ${n}`);
    const pets = await Promise.all(names.map((name) => api.add({ name, categoryId: 1n })));
    expect(pets.map(({ name }) => name)).toEqual(names);
    const told = stderr.text.match(/^waiting/gm) ?? [];
    expect(told.length).toBeGreaterThanOrEqual(2);
    expect(told.length).toBeLessThanOrEqual(4);
  });
});

describe("a client that may not wait", () => {
  it("lets its requests wait for each other where the limits are not known", async () => {
    const store = await startTestStore();
    const { api, waits } = connect(new URL(store.baseUrl), {
      apiKey: store.apiKey,
      maxWaitMs: 0,
    });
    const names = Array.from({ length: 12 }, (_none, n) => `Pet ${n}`);
    const pets = await Promise.all(names.map((name) => api.add({ name, categoryId: 1n })));
    expect(pets.map(({ name }) => name)).toEqual(names);
    expect(waits).toEqual([]);
  });

  it("so it does where the service tells of none: five at a time, and none looks at the clock", async () => {
    await using service = await serve([201, rex]);
    const { api, waits } = connect(service.baseUrl, { maxWaitMs: 0 });
    await Promise.all(Array.from({ length: 50 }, () => api.add({ name: "Rex", categoryId: 2n })));
    expect(waits).toEqual([]);
    expect(service.requests).toHaveLength(50);
  });

  it("lets them use up a limit to the last request, and only then gives up", async () => {
    const store = await startTestStore({ plan: "100/min,30/day" });
    const { api, waits } = connect(new URL(store.baseUrl), { apiKey: store.apiKey, maxWaitMs: 0 });
    let added = 0;
    const work = async (): Promise<void> => {
      for (;;) {
        await api.add({ name: "Rex", categoryId: 2n });
        added += 1;
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: 8 }, work));
    expect(ends.map((end) => end.status === "rejected" && end.reason.kind)).toEqual(
      ends.map(() => "rate_limited"),
    );
    expect([added, waits]).toEqual([30, []]);
  });
});
