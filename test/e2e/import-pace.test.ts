import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { envFor, temporaryFolder } from "../support/program/program.ts";
import { startPaced, startWilling } from "../support/servers/paced.ts";

/** Makes a file with `count` animals, all with different names. */
function animals(count: number): string {
  const file = path.join(temporaryFolder(), "animals.csv");
  const rows = Array.from({ length: count }, (_none, row) => `Rex ${row},1`);
  writeFileSync(file, ["name,categoryId", ...rows].join("\n"));
  return file;
}

/** Starts a service with `limit` requests until the end of a window in `endsInMs`, `used` of which others have sent. */
async function startLimited(limit: number, used: number, endsInMs: number) {
  const reset = Math.ceil((Date.now() + endsInMs) / 1000);
  return startPaced((arrival, n) =>
    arrival.answer(arrival.method === "POST" ? 201 : 200, {
      "x-ratelimit-limit": `${limit}`,
      "x-ratelimit-remaining": `${Math.max(0, limit - used - n - 1)}`,
      "x-ratelimit-reset": `${reset}`,
    }),
  );
}

describe("--reserve", () => {
  it.each([
    ["a minute", 60_000, 20, 8],
    // What others use counts, and the reserve holds for a day as well.
    ["a day", 5 * 3_600_000, 80, 28],
  ])("leaves its part of %s unused, whoever used the rest, and stops with 5", async (...scene) => {
    const [, endsInMs, used, sent] = scene;
    const limit = used + sent + 20;
    const service = await startLimited(limit, used, endsInMs);
    const percent = Math.floor((20 / limit) * 100);
    const kept = Math.ceil((limit * percent) / 100);
    const words = ["add", "--from", animals(60), "--max-wait", "1s"];
    const run = await runInTime([...words, "--reserve", `${percent}%`], { env: envFor(service) });
    expect(run.code).toBe(5);
    expect(run.stderr).toContain(`is used up, except for ${kept} reserved for other commands`);
    expect(limit - used - service.arrivals.length).toBe(kept);
  });

  it("does not keep other commands from using it", async () => {
    const service = await startLimited(60, 40, 60_000);
    const env = envFor(service);
    const words = ["add", "--from", animals(60), "--reserve", "30", "--max-wait", "0"];
    expect(await runInTime(words, { env })).toMatchObject({ code: 5 });
    expect(await runInTime(["list", "--max-wait", "0"], { env })).toMatchObject({ code: 0 });
  });
});

describe("--rate", () => {
  it("does not count as a wait, which --max-wait would end", async () => {
    const service = await startWilling();
    const words = ["add", "--from", animals(3), "--rate", "2/s", "--max-wait", "0"];
    const run = await runInTime(words, { env: envFor(service) });
    expect(run).toMatchObject({ code: 0, stderr: expect.not.stringContaining("waiting") });
  });
});
