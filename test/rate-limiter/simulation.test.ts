import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { type Scene, type Sight, simulate } from "./support/simulation.ts";

type Numbers = Partial<Record<keyof Scene, fc.Arbitrary<number>>>;

const between = (min: number, max: number) => fc.integer({ min, max });

const scenes = <More extends Numbers>(more: More = {} as More) =>
  fc.record({
    seed: between(0, 2 ** 32 - 1),
    limit: between(5, 40),
    window: fc.constantFrom(2000, 4000, 10_000, 60_000),
    longLimit: fc.constant(1e6),
    clients: between(1, 20),
    requests: between(1, 4),
    ahead: fc.constantFrom(0, 3_600_000, -3_600_000, 1234),
    latency: fc.constantFrom(0, 5, 50, 400),
    kills: fc.constant(0),
    strangers: fc.constant(0),
    ...more,
  });

// Each takes a second of CPU time, and much longer on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

/** Runs these scenes, and checks the outcome of each. */
async function holds(
  numRuns: number,
  all: fc.Arbitrary<Scene>,
  check: (sight: Sight, scene: Scene) => void,
): Promise<void> {
  const property = fc.asyncProperty(all, async (scene) => check(await simulate(scene), scene));
  await fc.assert(property, { numRuns });
}

/** Many requests at once, as imports send them. */
const bulk = {
  clients: between(1, 4),
  lanes: between(2, 8),
  requests: between(10, 40),
  limit: between(32, 60),
};
/** Clients on several machines, with clocks hours apart, that share a stream. */
const fleet = {
  machines: between(1, 3),
  window: fc.constantFrom(4000, 10_000, 60_000),
  latency: fc.constantFrom(0, 5, 20),
};
const manyClients = {
  limit: between(15, 40),
  clients: between(10, 20),
};
const strangers = {
  limit: between(5, 10),
  clients: between(5, 20),
  longLimit: fc.constantFrom(7, 20, 35, 1e6),
  strangers: between(5, 30),
  kills: between(0, 4),
};

/** So many that 50 scenes without a refusal are as good as impossible. */
const manyStrangers = { ...strangers, clients: between(15, 20), strangers: between(20, 40) };
const shortWindow = fc.constantFrom(2000, 4000);

describe("requests that share a limiter, in any interleaving", () => {
  it.each<[string, Numbers]>([
    ["processes", {}],
    ["processes with many at once", bulk],
    ["machines", fleet],
    ["machines with many at once", { ...bulk, ...fleet }],
    ["processes, some killed", { ...manyClients, kills: between(1, 8) }],
    [
      "processes with many at once, some killed",
      { ...bulk, limit: fc.constantFrom(64, 90), kills: between(1, 3) },
    ],
    ["machines, some killed", { ...fleet, ...manyClients, kills: between(1, 8) }],
  ])("are never refused, and all that are not killed finish: of %s", async (_what, more) => {
    await holds(50, scenes(more), ({ refused, survivors, finished }) => {
      expect({ refused, finished }).toEqual({ refused: 0, finished: survivors });
    });
  });

  it.each<[string, Numbers]>([
    ["processes", strangers],
    [
      "processes with many at once",
      { ...bulk, ...strangers, clients: bulk.clients, longLimit: fc.constantFrom(40, 1e6) },
    ],
    ["machines", { ...fleet, ...manyStrangers, latency: fc.constant(0), window: shortWindow }],
  ])("are not sent during a known wait, even if others use the key: of %s", async (_what, more) => {
    let refusals = 0;
    await holds(50, scenes(more), ({ early, refused, survivors, finished }) => {
      refusals += refused;
      expect({ early, finished }).toEqual({ early: 0, finished: survivors });
    });
    expect(refusals).toBeGreaterThan(0);
  });

  it.each<[string, Numbers]>([
    ["processes", { window: fc.constantFrom(10_000, 60_000) }],
    ["machines", fleet],
  ])("use as much as the limits allow: of %s", async (_what, more) => {
    const busy = { ...more, ...manyClients, requests: between(2, 6) };
    await holds(30, scenes(busy), ({ lastWindow }, { clients, requests, limit }) => {
      // One more if a window begins or ends within the first or the last requests.
      expect(lastWindow).toBeLessThanOrEqual(Math.ceil((clients * requests) / limit) + 1);
    });
  });

  it("finish, and are not sent during a wait that their machine knows, if the server is flushed or gone", async () => {
    const problem = {
      ...fleet,
      limit: between(5, 20),
      clients: between(5, 20),
      flushAt: between(0, 5000),
      goneAt: fc.integer({ min: 0, max: 20_000 }),
    };
    let refusals = 0;
    await holds(50, scenes(problem), ({ survivors, finished, refused, earlyHere }) => {
      refusals += refused;
      expect({ finished, earlyHere }).toEqual({ finished: survivors, earlyHere: 0 });
    });
    expect(refusals).toBeGreaterThan(0);
  });
});

describe("other commands during bulk runs", () => {
  // Five per cent of 40 are the two requests of the others; the last window is not used up.
  const beside = scenes({
    window: fc.constantFrom(10_000, 60_000),
    limit: between(40, 120),
    bulkRuns: fc.constant(1),
    clients: fc.constant(3),
    lanes: between(1, 8),
    latency: fc.constantFrom(0, 5, 50),
  }).map((scene) => Object.assign(scene, { requests: Math.floor(3.5 * scene.limit) }));

  it("are not delayed until the window ends, and cost the import no window", async () => {
    await holds(30, beside, ({ heldMs, refused, finished, lastWindow }) => {
      expect({ refused, finished }).toEqual({ refused: 0, finished: 3 });
      // In the last two seconds of a window the import uses what is left; ends are whole seconds.
      expect(Math.max(...heldMs)).toBeLessThan(5000);
      // One more if a window begins within the first requests.
      expect(lastWindow).toBeLessThanOrEqual(5);
    });
  });

  it("are never refused with several of them, nor if nothing is left for them", async () => {
    const several = scenes({
      limit: fc.constantFrom(5, 19, 20, 60),
      longLimit: fc.constantFrom(100, 1e6),
      bulkRuns: between(2, 3),
      clients: fc.constant(6),
      lanes: between(1, 8),
      requests: between(1, 70),
    });
    await holds(30, several, ({ refused, unforeseen, finished }) => {
      expect({ refused, finished }).toEqual({ refused: unforeseen, finished: 6 });
    });
  });
});

it("machines that share nothing are refused, which shows that the simulation is sensitive", async () => {
  const alone = { machines: fc.constant(20), goneAt: fc.constant(0) };
  const busy = { clients: fc.constant(20), requests: fc.constant(3), limit: fc.constant(10) };
  const still = { seed: fc.constant(1), window: fc.constant(4000), latency: fc.constant(50) };
  await holds(1, scenes({ ...alone, ...busy, ...still }), ({ refused, early, earlyHere }) => {
    expect(refused).toBeGreaterThan(10);
    expect(early).toBeGreaterThan(0);
    expect(earlyHere).toBe(0);
  });
});
