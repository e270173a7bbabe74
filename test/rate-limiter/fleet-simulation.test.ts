import { describe, expect, it } from "vitest";
import { type FleetScene, simulateFleet } from "./support/fleet-simulation.ts";

/** Three machines share one limiter, and 90 processes send a request each. */
const wanted: FleetScene = {
  seed: 1,
  processes: 90,
  atATime: 24,
  machines: 3,
  limit: 20,
  windowMs: 4000,
  startMs: 70,
  processors: 2,
  latencyMs: 5,
  serverMs: 1,
};

describe("90 processes on three machines, 24 at a time, on 20 requests per 4 s", () => {
  it.each<[string, Partial<FleetScene>]>([
    ["with the server nearby", {}],
    ["with the server 20 ms away", { serverMs: 20 }],
    ["with a service 100 ms away", { latencyMs: 100 }],
    ["that take as long to start as on a busy machine", { startMs: 300 }],
    ["of one machine, in its own files", { machines: undefined }],
  ])("%s are never refused, and need 1.15 of the least time at most", async (_name, more) => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const { refused, totalMs, leastMs } = await simulateFleet({ ...wanted, ...more, seed });
      expect(refused).toBe(0);
      expect(totalMs / leastMs).toBeLessThan(1.15);
    }
  });
});
