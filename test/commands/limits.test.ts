import { describe, expect, it } from "vitest";
import { fakeClock } from "../support/command/terminal.ts";
import { runHere } from "../support/command/world.ts";
import { temporaryFolder } from "../support/program/program.ts";
import { reply, startStranger } from "../support/servers/stranger.ts";

const limits = {
  "x-ratelimit-limit": "60",
  "x-ratelimit-remaining": "42",
  "x-ratelimit-reset": "30",
};

/** Starts a service that announces its limits; returns the environment of one of its users. */
async function start(headers: Record<string, string> = limits) {
  const stranger = await startStranger(reply(200, "[]", headers));
  const env = {
    HOME: temporaryFolder(),
    PETS_BASE_URL: stranger.baseUrl,
    PETS_API_KEY: "key-of-the-tests",
  };
  return { stranger, env };
}

describe("pets limits", () => {
  it.each([
    [[], "No limits known yet. Run `pets limits --refresh` to ask the service.\n", ""],
    [["--json"], "", "{}\n"],
    [["-o", "ndjson"], "", ""],
  ])("sends nothing with %j before any request, and says so", async (options, stderr, stdout) => {
    const { stranger, env } = await start();
    expect(await runHere(["limits", ...options], { env })).toEqual({ code: 0, stdout, stderr });
    expect(stranger.requests).toEqual([]);
  });

  it("sends one request with --refresh and shows the limits of its reply", async () => {
    const { stranger, env } = await start();
    const { code, stdout } = await runHere(["limits", "--refresh", "--json"], { env });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { limit: 60, remaining: 42 }]);
    expect(stranger.requests).toHaveLength(1);
  });

  it("notes with --refresh that a reply has no limits", async () => {
    const { env } = await start({});
    const { stdout, stderr } = await runHere(["limits", "--refresh"], { env });
    expect([stdout, stderr]).toEqual(["", "The service sends no rate limits.\n"]);
  });

  it("notes that a limit was reset since it was seen", async () => {
    const { env } = await start();
    const clock = fakeClock();
    await runHere(["limits", "--refresh"], { env, clock });
    await clock.sleep(60_000, new AbortController().signal);
    const { stderr } = await runHere(["limits"], { env, clock });
    expect(stderr).toMatch(/^Run `pets limits --refresh`/);
  });
});
