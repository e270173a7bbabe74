import { describe, expect, it } from "vitest";
import { type Budget, type Permit, PermitQueue } from "../../../src/client/retry/permit-queue.ts";
import type { ApiEvent, PetsApiOptions, Wait } from "../../../src/client/types.ts";
import { Failure } from "../../../src/core/errors.ts";
import type { LocalLimiter } from "../../../src/rate-limiter/local-limiter.ts";
import type { AcquireResult } from "../../../src/rate-limiter/types.ts";

const permit = { go: true, id: "permit" } as const;
const blocked = { go: false, reason: "blocked", status: 429, ms: 3000 } as const;
const usedUp = { go: false, reason: "used_up", limit: 60, ms: 3000 } as const;
const probing = { go: false, reason: "probing", ms: 45_000 } as const;
const learning = { go: false, reason: "learning", ms: 45_000 } as const;

/** Acquires permits from a limiter that returns these results in turn; its waits take no time. */
function setUp(
  results: readonly AcquireResult[],
  { sleep = async () => {}, isOver = false, maxWaitMs = 10_000, ...more }: Setup = {},
) {
  const left = [...results];
  const waits: Wait[] = [];
  const ends: string[] = [];
  let time = 0;
  const options = {
    limiter: {
      tryAcquire: () => left.shift() ?? permit,
      peek: () => (isOver ? { go: true, probe: false } : results[0]),
      end: (id: string, how: string) => ends.push(`${id} ${how}`),
    } as unknown as LocalLimiter,
    timeoutMs: 5000,
    clock: {
      now: () => time,
      monotonic: () => time,
      sleep: async (ms: number) => {
        await sleep();
        time += ms;
      },
    },
    random: () => 1,
    signal: new AbortController().signal,
    onEvent: (event: ApiEvent) => event.type === "waiting" && waits.push(event.wait),
    ...more,
  } as unknown as PetsApiOptions;
  const permits = new PermitQueue(options);
  /** Returns the permit, and how long its request has waited for it. */
  const acquire = async ({ attempts = 0, waitedMs = 0 }: Partial<Used> = {}) => {
    const budget: Budget = { attempts, roomMs: maxWaitMs - waitedMs };
    const acquired: Permit = await permits.acquire(budget);
    return { acquired, waitedMs: maxWaitMs - budget.roomMs };
  };
  return { acquire, waits, ends, now: () => time };
}

interface Used {
  readonly attempts: number;
  readonly waitedMs: number;
}

interface Setup extends Partial<PetsApiOptions> {
  /** Called by each sleep, which then takes its time at once. */
  readonly sleep?: () => Promise<void>;
  /** Whether the condition of a wait has ended when the limiter is asked again. */
  readonly isOver?: boolean;
}

describe("a permit", () => {
  it("does not wait if the limiter has a permit", async () => {
    const { acquire, waits } = setUp([]);
    expect(await acquire()).toMatchObject({ waitedMs: 0 });
    expect(waits).toEqual([]);
  });

  it("ends once, as its request did", async () => {
    const { acquire, ends } = setUp([]);
    for (const isSent of [false, true]) {
      using permitted = (await acquire()).acquired;
      permitted.isSent = isSent;
    }
    expect(ends).toEqual(["permit release", "permit lost"]);
  });

  it("waits for the requests before it, even after one that failed", async () => {
    const tooLong = { ...blocked, ms: 20_000 };
    const { acquire } = setUp([blocked, blocked, blocked, blocked, permit, tooLong, permit]);
    const [first, second, third] = await Promise.allSettled([acquire(), acquire(), acquire()]);
    expect(first).toMatchObject({ value: { waitedMs: 3250 } });
    expect(second).toMatchObject({ reason: { kind: "rate_limited" } });
    // Its wait behind the others is none of its own.
    expect(third).toMatchObject({ value: { waitedMs: 0 } });
  });

  it("goes to no request that came later than one that waits", async () => {
    const waiting = Promise.withResolvers<void>();
    const { acquire } = setUp([blocked, blocked], { sleep: () => waiting.promise });
    const order: string[] = [];
    const first = acquire().then(() => order.push("first"));
    await new Promise(setImmediate);
    const second = acquire().then(() => order.push("second"));
    await new Promise(setImmediate);
    waiting.resolve();
    await Promise.all([first, second]);
    expect(order).toEqual(["first", "second"]);
  });

  it.each<[AcquireResult, object]>([
    [blocked, { isForLimiter: true, ms: 3250, until: 3250, isOpenEnded: false }],
    [usedUp, { isForLimiter: true, ms: 3250, isOpenEnded: false }],
    [learning, { isForLimiter: true, ms: 10_000, isOpenEnded: true }],
  ])("waits for %j, with jitter as far as it fits", async (result, expected) => {
    const { acquire, waits } = setUp([result, result]);
    expect(await acquire()).toMatchObject({ waitedMs: waits[0]?.ms });
    expect(waits).toHaveLength(1);
    expect(waits[0]).toMatchObject(expected);
  });

  it("ends a wait early once its condition is over, except a back-off", async () => {
    const { acquire, waits, now } = setUp([usedUp, usedUp, blocked], { isOver: true });
    expect((await acquire()).waitedMs).toBe(3250);
    expect([waits.length, now()]).toEqual([2, 3250]);
  });

  const text = "the limit of 60 requests is used up";
  const others = "other requests are in flight, and the limits are not known yet";
  it.each<[AcquireResult, Used, string, number | undefined]>([
    [blocked, { waitedMs: 7001, attempts: 1 }, "the service responded with 429 Too Many", 3000],
    [usedUp, { waitedMs: 7001, attempts: 0 }, `${text}; nothing was sent`, 3000],
    [
      { ...usedUp, reserved: 3 },
      { waitedMs: 7001, attempts: 1 },
      `${text}, except for 3 res`,
      3000,
    ],
    [learning, { waitedMs: 10_000, attempts: 0 }, `${others}; nothing was sent`, undefined],
    [probing, { waitedMs: 10_000, attempts: 1 }, "a probe request asks whether", undefined],
  ])("is refused at once when %j does not fit after %j", async (result, used, message, retryAt) => {
    const { acquire, waits } = setUp([result, result]);
    const failure: unknown = await acquire(used).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: "rate_limited", facts: { attempts: used.attempts } });
    expect(failure).toMatchObject({ message: expect.stringContaining(message) });
    expect(failure).toMatchObject({ facts: { retryable: true } });
    expect((failure as Failure).facts.retryAt).toBe(retryAt);
    expect(waits).toEqual([]);
  });

  it("counts all waits towards one budget", async () => {
    const { acquire, waits } = setUp([blocked, blocked, blocked, blocked]);
    await expect(acquire({ waitedMs: 1000 })).rejects.toMatchObject({ kind: "rate_limited" });
    expect(waits.map(({ ms }) => ms)).toEqual([3250, 3250]);
  });

  it.each([learning, probing, usedUp])(
    "waits for a request in flight that may lift %j, without using its budget",
    async (result) => {
      const { acquire, waits } = setUp([permit, result, result], { maxWaitMs: 0 });
      const first = await acquire();
      const second = acquire();
      await new Promise(setImmediate);
      first.acquired[Symbol.dispose]();
      expect((await second).waitedMs).toBe(0);
      expect(waits).toEqual([]);
    },
  );

  it("rejects at once if the command was cancelled before, and sends nothing", async () => {
    const signal = AbortSignal.abort(new Failure("interrupted", "interrupted"));
    const { acquire } = setUp([], { signal });
    await expect(acquire()).rejects.toMatchObject({ kind: "interrupted" });
  });

  it("rejects with the number of sends if the command is cancelled during a wait", async () => {
    const controller = new AbortController();
    const sleep = async (): Promise<void> => {
      controller.abort(new Failure("interrupted", "interrupted"));
      throw controller.signal.reason;
    };
    const { acquire } = setUp([blocked, blocked], { signal: controller.signal, sleep });
    await expect(acquire({ attempts: 2 })).rejects.toMatchObject({
      kind: "interrupted",
      facts: { attempts: 2 },
    });
  });
});
