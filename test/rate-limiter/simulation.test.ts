import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
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

const many = { numRuns: 300 };

function allGoThrough(scene: Scene): void {
  const { refused, accepted, finished } = simulate(scene);
  const { clients, requests } = scene;
  expect({ refused, accepted, finished }).toEqual({
    refused: 0,
    accepted: clients * requests,
    finished: clients,
  });
}

function survivorsFinish(scene: Scene): void {
  const { refused, survivors, finished } = simulate(scene);
  expect({ refused, finished }).toEqual({ refused: 0, finished: survivors });
}

/** Checks that nobody sends inside a wait, and returns how many refusals there were. */
function refusalsWithNoneEarly(all: fc.Arbitrary<Scene>): number {
  let refusals = 0;
  const property = fc.property(all, (scene) => {
    const { early, refused, survivors, finished } = simulate(scene);
    refusals += refused;
    expect({ early, finished }).toEqual({ early: 0, finished: survivors });
  });
  fc.assert(property, many);
  return refusals;
}

describe("processes that share a limiter, in any interleaving", () => {
  it("are never refused", () => {
    fc.assert(fc.property(scenes(), allGoThrough), many);
  });

  it("are never refused when some are killed, and the others come to their end", () => {
    const killed = {
      limit: fc.integer({ min: 15, max: 40 }),
      clients: fc.integer({ min: 10, max: 20 }),
      kills: fc.integer({ min: 1, max: 8 }),
    };
    fc.assert(fc.property(scenes(killed), survivorsFinish), many);
  });

  it("send nothing inside a wait that any of them knows, also when others use the key elsewhere", () => {
    const shared = {
      limit: fc.integer({ min: 5, max: 10 }),
      clients: fc.integer({ min: 5, max: 20 }),
      longLimit: fc.constantFrom(7, 20, 35, 1e6),
      strangers: fc.integer({ min: 5, max: 30 }),
      kills: fc.integer({ min: 0, max: 4 }),
    };
    expect(refusalsWithNoneEarly(scenes(shared))).toBeGreaterThan(100);
  });

  it("use what the limits allow", () => {
    const busy = {
      window: fc.constantFrom(10_000, 60_000),
      limit: fc.integer({ min: 10, max: 30 }),
      clients: fc.integer({ min: 10, max: 20 }),
      requests: fc.integer({ min: 3, max: 6 }),
    };
    fc.assert(
      fc.property(scenes(busy), (scene) => {
        const { lastWindow } = simulate(scene);
        const windows = Math.ceil((scene.clients * scene.requests) / scene.limit);
        // Where a window begins or ends within the first or the last requests, one more.
        expect(lastWindow).toBeLessThanOrEqual(windows + 1);
      }),
      { numRuns: 60 },
    );
  });
});

/** Bulk runs beside each other, and limits that begin while they run. */
const bulk = {
  clients: fc.integer({ min: 1, max: 4 }),
  lanes: fc.integer({ min: 2, max: 8 }),
  requests: fc.integer({ min: 10, max: 40 }),
  limit: fc.integer({ min: 32, max: 60 }),
  plentyUntil: fc.constantFrom(0, 100, 1000, 5000, 3_600_000),
};

describe("processes with many requests at once", () => {
  it("are never refused, also where a service without limits begins to have some", () => {
    fc.assert(fc.property(scenes(bulk), allGoThrough), many);
  });

  it("are never refused when some are killed, and the others come to their end", () => {
    const killed = {
      ...bulk,
      kills: fc.integer({ min: 1, max: 3 }),
      limit: fc.constantFrom(64, 90),
    };
    fc.assert(fc.property(scenes(killed), survivorsFinish), many);
  });

  it("send nothing inside a wait that any of them knows", () => {
    const shared = {
      ...bulk,
      limit: fc.integer({ min: 5, max: 20 }),
      longLimit: fc.constantFrom(40, 1e6),
      plentyUntil: fc.constantFrom(0, 100, 1000),
      strangers: fc.integer({ min: 10, max: 60 }),
      kills: fc.integer({ min: 0, max: 2 }),
    };
    expect(refusalsWithNoneEarly(scenes(shared))).toBeGreaterThan(100);
  });
});

describe("other commands beside a bulk run", () => {
  // Five per cent of 40 are the two requests of the others; the last window is not used up.
  const beside = scenes({
    window: fc.constantFrom(10_000, 60_000),
    limit: fc.integer({ min: 40, max: 120 }),
    bulkRuns: fc.constant(1),
    clients: fc.constant(3),
    lanes: fc.integer({ min: 1, max: 8 }),
    latency: fc.constantFrom(0, 5, 50),
  }).map((scene) => Object.assign(scene, { requests: Math.floor(3.5 * scene.limit) }));

  it("are not held until the window ends, and cost it no window", () => {
    fc.assert(
      fc.property(beside, (scene) => {
        const { held, refused, finished, lastWindow } = simulate(scene);
        expect({ held, refused, finished }).toEqual({ held: 0, refused: 0, finished: 3 });
        // Where a window begins within the first requests, one more.
        expect(lastWindow).toBeLessThanOrEqual(5);
      }),
      { numRuns: 100 },
    );
  });
});

describe("processes that share nothing", () => {
  it("are refused, so the simulation is sensitive", () => {
    const { refused, early } = simulate({
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
