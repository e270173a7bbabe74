import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { type Scene, simulate } from "./support/simulation.ts";

type Numbers = Partial<Record<Exclude<keyof Scene, "alone">, fc.Arbitrary<number>>>;

const scenes = <More extends Numbers>(more: More = {} as More) =>
  fc.record({
    seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    limit: fc.integer({ min: 5, max: 40 }),
    window: fc.constantFrom(2000, 4000, 10_000, 60_000),
    longLimit: fc.constant(1e6),
    clients: fc.integer({ min: 1, max: 20 }),
    requests: fc.integer({ min: 1, max: 4 }),
    ahead: fc.constantFrom(0, 3_600_000, -3_600_000, 1234),
    latency: fc.constantFrom(0, 5, 50, 400),
    kills: fc.constant(0),
    strangers: fc.constant(0),
    ...more,
  });

// Each takes a second of CPU time, and much longer on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const many = { numRuns: 50 };

async function allGoThrough(scene: Scene): Promise<void> {
  const { refused, accepted, finished } = await simulate(scene);
  const { clients, requests } = scene;
  expect({ refused, accepted, finished }).toEqual({
    refused: 0,
    accepted: clients * requests,
    finished: clients,
  });
}

async function survivorsFinish(scene: Scene): Promise<void> {
  const { refused, survivors, finished } = await simulate(scene);
  expect({ refused, finished }).toEqual({ refused: 0, finished: survivors });
}

async function usesTheLimits(scene: Scene): Promise<void> {
  const { lastWindow } = await simulate(scene);
  const windows = Math.ceil((scene.clients * scene.requests) / scene.limit);
  // One more if a window begins or ends within the first or the last requests.
  expect(lastWindow).toBeLessThanOrEqual(windows + 1);
}

/** Checks that nobody sends during a wait, and returns how many refusals there were. */
async function refusalsWithNoneEarly(all: fc.Arbitrary<Scene>, runs = many): Promise<number> {
  let refusals = 0;
  const property = fc.asyncProperty(all, async (scene) => {
    const { early, refused, survivors, finished } = await simulate(scene);
    refusals += refused;
    expect({ early, finished }).toEqual({ early: 0, finished: survivors });
  });
  await fc.assert(property, runs);
  return refusals;
}

describe("processes that share a limiter, in any interleaving", () => {
  it("are never refused", async () => {
    await fc.assert(fc.asyncProperty(scenes(), allGoThrough), many);
  });

  it("are never refused if some are killed, and the others finish", async () => {
    const killed = {
      limit: fc.integer({ min: 15, max: 40 }),
      clients: fc.integer({ min: 10, max: 20 }),
      kills: fc.integer({ min: 1, max: 8 }),
    };
    await fc.assert(fc.asyncProperty(scenes(killed), survivorsFinish), many);
  });

  it("send nothing during a wait that any of them knows, even if others use the key elsewhere", async () => {
    const shared = {
      limit: fc.integer({ min: 5, max: 10 }),
      clients: fc.integer({ min: 5, max: 20 }),
      longLimit: fc.constantFrom(7, 20, 35, 1e6),
      strangers: fc.integer({ min: 5, max: 30 }),
      kills: fc.integer({ min: 0, max: 4 }),
    };
    expect(await refusalsWithNoneEarly(scenes(shared))).toBeGreaterThan(0);
  });

  it("use as much as the limits allow", async () => {
    const busy = {
      window: fc.constantFrom(10_000, 60_000),
      limit: fc.integer({ min: 10, max: 30 }),
      clients: fc.integer({ min: 10, max: 20 }),
      requests: fc.integer({ min: 3, max: 6 }),
    };
    await fc.assert(fc.asyncProperty(scenes(busy), usesTheLimits), { numRuns: 30 });
  });
});

/** Concurrent imports. */
const bulk = {
  clients: fc.integer({ min: 1, max: 4 }),
  lanes: fc.integer({ min: 2, max: 8 }),
  requests: fc.integer({ min: 10, max: 40 }),
  limit: fc.integer({ min: 32, max: 60 }),
};

describe("processes with many requests at once", () => {
  it("are never refused", async () => {
    await fc.assert(fc.asyncProperty(scenes(bulk), allGoThrough), many);
  });

  it("are never refused if some are killed, and the others finish", async () => {
    const killed = {
      ...bulk,
      kills: fc.integer({ min: 1, max: 3 }),
      limit: fc.constantFrom(64, 90),
    };
    await fc.assert(fc.asyncProperty(scenes(killed), survivorsFinish), many);
  });

  it("send nothing during a wait that any of them knows", async () => {
    const shared = {
      ...bulk,
      limit: fc.integer({ min: 5, max: 20 }),
      longLimit: fc.constantFrom(40, 1e6),
      strangers: fc.integer({ min: 10, max: 60 }),
      kills: fc.integer({ min: 0, max: 2 }),
    };
    expect(await refusalsWithNoneEarly(scenes(shared))).toBeGreaterThan(0);
  });
});

/** Clients on several machines, with clocks hours apart, that share a stream. */
const fleet = {
  machines: fc.integer({ min: 1, max: 3 }),
  window: fc.constantFrom(4000, 10_000, 60_000),
  latency: fc.constantFrom(0, 5, 20),
};
const few = { numRuns: 30 };

describe("machines that share a stream, in any interleaving", () => {
  it("are never refused", async () => {
    await fc.assert(fc.asyncProperty(scenes(fleet), allGoThrough), few);
  });

  it("use as much as the limits allow", async () => {
    const busy = {
      ...fleet,
      limit: fc.integer({ min: 10, max: 30 }),
      clients: fc.integer({ min: 10, max: 20 }),
      requests: fc.integer({ min: 2, max: 4 }),
    };
    await fc.assert(fc.asyncProperty(scenes(busy), usesTheLimits), few);
  });

  it("are never refused if some processes are killed, and the others finish", async () => {
    const killed = {
      ...fleet,
      limit: fc.integer({ min: 15, max: 40 }),
      clients: fc.integer({ min: 10, max: 20 }),
      kills: fc.integer({ min: 1, max: 8 }),
    };
    await fc.assert(fc.asyncProperty(scenes(killed), survivorsFinish), few);
  });

  it("are never refused with many requests at once", async () => {
    await fc.assert(fc.asyncProperty(scenes({ ...bulk, ...fleet }), allGoThrough), few);
  });

  it("send nothing during a wait that was announced before, even if others use the key elsewhere", async () => {
    const shared = {
      ...fleet,
      latency: fc.constant(0),
      window: fc.constantFrom(2000, 4000),
      limit: fc.integer({ min: 5, max: 10 }),
      clients: fc.integer({ min: 5, max: 20 }),
      longLimit: fc.constantFrom(7, 20, 35),
      strangers: fc.integer({ min: 5, max: 30 }),
      kills: fc.integer({ min: 0, max: 4 }),
    };
    expect(await refusalsWithNoneEarly(scenes(shared), many)).toBeGreaterThan(0);
  });

  it("finish, and send nothing during a wait that their machine knows, if the server is flushed or gone", async () => {
    const problem = {
      ...fleet,
      limit: fc.integer({ min: 5, max: 20 }),
      clients: fc.integer({ min: 5, max: 20 }),
      flushAt: fc.integer({ min: 0, max: 5000 }),
      goneAt: fc.integer({ min: 0, max: 20_000 }),
    };
    let refusals = 0;
    const property = fc.asyncProperty(scenes(problem), async (scene) => {
      const { finished, refused, earlyHere } = await simulate(scene);
      refusals += refused;
      expect({ finished, earlyHere }).toEqual({ finished: scene.clients, earlyHere: 0 });
    });
    await fc.assert(property, many);
    expect(refusals).toBeGreaterThan(0);
  });
});

describe("other commands during bulk runs", () => {
  // Five per cent of 40 are the two requests of the others; the last window is not used up.
  const beside = scenes({
    window: fc.constantFrom(10_000, 60_000),
    limit: fc.integer({ min: 40, max: 120 }),
    bulkRuns: fc.constant(1),
    clients: fc.constant(3),
    lanes: fc.integer({ min: 1, max: 8 }),
    latency: fc.constantFrom(0, 5, 50),
  }).map((scene) => Object.assign(scene, { requests: Math.floor(3.5 * scene.limit) }));

  it("are not delayed until the window ends, and cost the import no window", async () => {
    await fc.assert(
      fc.asyncProperty(beside, async (scene) => {
        const { heldMs, refused, finished, lastWindow } = await simulate(scene);
        expect({ refused, finished }).toEqual({ refused: 0, finished: 3 });
        // In the last two seconds of a window the import uses what is left; ends are whole seconds.
        expect(Math.max(...heldMs)).toBeLessThan(5000);
        // One more if a window begins within the first requests.
        expect(lastWindow).toBeLessThanOrEqual(5);
      }),
      { numRuns: 30 },
    );
  });

  it("are never refused with several of them, nor if nothing is left for them", async () => {
    const several = scenes({
      limit: fc.constantFrom(5, 19, 20, 60),
      longLimit: fc.constantFrom(100, 1e6),
      bulkRuns: fc.integer({ min: 2, max: 3 }),
      clients: fc.constant(6),
      lanes: fc.integer({ min: 1, max: 8 }),
      requests: fc.integer({ min: 1, max: 70 }),
    });
    await fc.assert(
      fc.asyncProperty(several, async (scene) => {
        const { refused, unforeseen, finished } = await simulate(scene);
        expect({ refused, finished }).toEqual({ refused: unforeseen, finished: 6 });
      }),
      { numRuns: 30 },
    );
  });
});

describe("processes that share nothing", () => {
  it("are refused, which shows that the simulation is sensitive", async () => {
    const { refused, early } = await simulate({
      seed: 1,
      limit: 10,
      window: 4000,
      longLimit: 1e6,
      clients: 20,
      requests: 3,
      ahead: 0,
      latency: 50,
      kills: 0,
      strangers: 0,
      alone: true,
    });
    expect(refused).toBeGreaterThan(10);
    expect(early).toBeGreaterThan(0);
  });
});
