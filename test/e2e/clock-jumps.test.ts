import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { followPets } from "../support/program/followed.ts";
import { envFor, runPets } from "../support/program/program.ts";
import { type PacedService, startPaced } from "../support/servers/paced.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

const preload = pathToFileURL(
  path.join(import.meta.dirname, "../support/program/clock-jump.mjs"),
).href;

/** Returns the environment of a machine whose clock has jumped. */
const jumped = (env: Record<string, string>, ms: number): Record<string, string> => ({
  ...env,
  NODE_OPTIONS: `--import=${preload}`,
  PETS_TEST_JUMP: `${ms}`,
});

/** Returns how many ms after the reply to the first request the next one arrived. */
function msToNext({ arrivals }: PacedService): number {
  return (
    Math.min(...arrivals.slice(1).map(({ at }) => at)) - (arrivals[0]?.answeredAt ?? Number.NaN)
  );
}

describe("a clock that jumps while a command waits", () => {
  it("does not shorten its wait, nor that of others", async () => {
    const service = await startPaced((arrival, n) =>
      arrival.answer(n === 0 ? 429 : 200, n === 0 ? { "retry-after": "2" } : {}),
    );
    const env = envFor(service);
    const first = followPets(["list", "-v"], { env: jumped(env, hour) });
    await first.saw(/^waiting /m);
    const runs = [
      first.end,
      ...[minute, -minute].map((jump) => runPets(["list"], { env: jumped(env, jump) })),
    ];
    expect((await Promise.all(runs)).map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(msToNext(service)).toBeGreaterThanOrEqual(2 * second);
  });
});
