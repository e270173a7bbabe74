import { describe, expect, it } from "vitest";
import { mulberry32 } from "../../src/server/seed/generate.ts";
import { fakeClock } from "../support/command/terminal.ts";
import { runHere } from "../support/command/world.ts";
import { storeEnv } from "../support/servers/store-env.ts";
import { reply, startStranger } from "../support/servers/stranger.ts";

describe("the client of a command", () => {
  it("waits as long as a 429 asks, notes it, and adds the animal once", async () => {
    const env = await storeEnv();
    const clock = fakeClock();
    const stranger = await startStranger((request, response, n) =>
      n === 0
        ? reply(429, "", { "retry-after": "20" })(request, response, n)
        : reply(201, '{"id":1,"name":"Rex","categoryId":1}')(request, response, n),
    );
    const run = await runHere(["add", "--name", "Rex", "--category", "1", "--json"], {
      env: { ...env, PETS_BASE_URL: stranger.baseUrl },
      clock,
      // What comes at random on top of a wait is the same each time.
      random: mulberry32(1),
    });
    expect(run.code).toBe(0);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(20_000);
    expect(clock.monotonic()).toBeLessThanOrEqual(22_000);
    expect(run.stderr).toMatch(
      /^waiting \d+ s, until \d\d:\d\d:\d\d: the service responded with 429/,
    );
    expect(stranger.requests).toHaveLength(2);
  });
});
