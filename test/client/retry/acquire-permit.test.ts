import { describe, expect, it } from "vitest";
import {
  describeWait,
  fitsBudget,
  maxWaitExceeded,
  mayResolveLocally,
  Queue,
} from "../../../src/client/retry/acquire-permit.ts";
import { createSleeper } from "../../../src/output/wait-notice.ts";
import { makeClock } from "../../../src/platform/clock.ts";
import type { WaitCondition } from "../../../src/rate-limiter/decision.ts";
import { startTestStore } from "../../support/store.ts";
import { recordOutput } from "../../support/terminal.ts";
import { connect, rex, serve } from "../support/service.ts";

const blocked: WaitCondition = { reason: "blocked", status: 429, ms: 3000 };
const usedUp: WaitCondition = { reason: "used_up", limit: 60, ms: 3000 };
const probing: WaitCondition = { reason: "probing", ms: 45_000 };
const learning: WaitCondition = { reason: "learning", ms: 45_000 };

describe("a hold", () => {
  it.each<[WaitCondition, number, boolean, boolean]>([
    [blocked, 3000, true, false],
    [blocked, 2999, false, false],
    [usedUp, 3000, true, false],
    [usedUp, 2999, false, true],
    [probing, 1, true, true],
    [probing, 0, false, true],
    [learning, 1, true, true],
    [learning, 0, false, true],
  ])("%j with %i ms of room: fits %s, ends with siblings %s", (hold, room, isFit, ends) => {
    expect([fitsBudget(hold, room), mayResolveLocally(hold, room)]).toEqual([isFit, ends]);
  });

  it.each<[WaitCondition, string]>([
    [blocked, "the service answered 429 Too Many Requests to an earlier request"],
    [usedUp, "the limit of 60 requests is used up"],
    [{ ...usedUp, limit: 1 }, "the limit of 1 request is used up"],
    [probing, "another request tries whether the service answers again"],
    [learning, "other requests are on their way, and the limits are not known yet"],
  ])("%j is told as %s", (hold, text) => {
    expect(describeWait(hold)).toBe(text);
  });

  it.each<[WaitCondition, number, object]>([
    [
      usedUp,
      0,
      { message: "the limit of 60 requests is used up; nothing was sent", retryAt: 4000 },
    ],
    [usedUp, 1, { message: "the limit of 60 requests is used up", retryAt: 4000 }],
    [learning, 0, { message: `${describeWait(learning)}; nothing was sent`, retryAt: undefined }],
  ])("%j that does not fit after %i sends", (hold, attempts, expected) => {
    const { kind, message, facts } = maxWaitExceeded(hold, 1000, attempts);
    expect({ message, retryAt: facts.retryAt }).toEqual(expected);
    expect({ kind, retryable: facts.retryable, attempts: facts.attempts }).toEqual({
      kind: "rate_limited",
      retryable: true,
      attempts,
    });
  });
});

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
