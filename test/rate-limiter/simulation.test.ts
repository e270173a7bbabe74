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
const few = { numRuns: 30 };

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
async function refusalsWithNoneEarly(all: fc.Arbitrary<Scene>): Promise<number> {
  let refusals = 0;
  const property = fc.asyncProperty(all, async (scene) => {
    const { early, refused, survivors, finished } = await simulate(scene);
    refusals += refused;
    expect({ early, finished }).toEqual({ early: 0, finished: survivors });
  });
  await fc.assert(property, many);
  return refusals;
}

/** Many requests at once, as imports send them. */
const bulk = {
  clients: fc.integer({ min: 1, max: 4 }),
  lanes: fc.integer({ min: 2, max: 8 }),
  requests: fc.integer({ min: 10, max: 40 }),
  limit: fc.integer({ min: 32, max: 60 }),
};
/** Clients on several machines, with clocks hours apart, that share a stream. */
const fleet = {
  machines: fc.integer({ min: 1, max: 3 }),
  window: fc.constantFrom(4000, 10_000, 60_000),
  latency: fc.constantFrom(0, 5, 20),
};
const manyClients = {
  limit: fc.integer({ min: 15, max: 40 }),
  clients: fc.integer({ min: 10, max: 20 }),
};
const strangers = {
  limit: fc.integer({ min: 5, max: 10 }),
  clients: fc.integer({ min: 5, max: 20 }),
  longLimit: fc.constantFrom(7, 20, 35, 1e6),
  strangers: fc.integer({ min: 5, max: 30 }),
  kills: fc.integer({ min: 0, max: 4 }),
};

describe("requests that share a limiter, in any interleaving", () => {
  it.each<[string, Numbers]>([
    ["processes", {}],
    ["processes with many at once", bulk],
    ["machines", fleet],
    ["machines with many at once", { ...bulk, ...fleet }],
  ])("are never refused: of %s", async (_what, more) => {
    await fc.assert(fc.asyncProperty(scenes(more), allGoThrough), many);
  });

  it.each<[string, Numbers]>([
    ["processes", { ...manyClients, kills: fc.integer({ min: 1, max: 8 }) }],
    [
      "processes with many at once",
      { ...bulk, limit: fc.constantFrom(64, 90), kills: fc.integer({ min: 1, max: 3 }) },
    ],
    ["machines", { ...fleet, ...manyClients, kills: fc.integer({ min: 1, max: 8 }) }],
  ])("are never refused if some are killed, and the others finish: of %s", async (_what, more) => {
    await fc.assert(fc.asyncProperty(scenes(more), survivorsFinish), many);
  });

  it.each<[string, Numbers]>([
    ["processes", strangers],
    [
      "processes with many at once",
      { ...bulk, ...strangers, clients: bulk.clients, longLimit: fc.constantFrom(40, 1e6) },
    ],
    [
      "machines",
      { ...fleet, ...strangers, latency: fc.constant(0), window: fc.constantFrom(2000, 4000) },
    ],
  ])("are not sent during a known wait, even if others use the key: of %s", async (_what, more) => {
    expect(await refusalsWithNoneEarly(scenes(more))).toBeGreaterThan(0);
  });

  it.each<[string, Numbers]>([
    ["processes", { window: fc.constantFrom(10_000, 60_000) }],
    ["machines", fleet],
  ])("use as much as the limits allow: of %s", async (_what, more) => {
    const busy = { ...more, ...manyClients, requests: fc.integer({ min: 2, max: 6 }) };
    await fc.assert(fc.asyncProperty(scenes(busy), usesTheLimits), few);
  });

  it("finish, and are not sent during a wait that their machine knows, if the server is flushed or gone", async () => {
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
      few,
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
      few,
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
