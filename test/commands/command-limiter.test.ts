import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openKnownLimiter, readKnownLimits } from "../../src/commands/command-limiter.ts";
import type { Context, LimiterTarget } from "../../src/commands/context.ts";
import type { ConnectionTarget } from "../../src/config/connection.ts";
import {
  segmentPath,
  limiterId,
  limiterPaths,
} from "../../src/rate-limiter/log/files/segment-paths.ts";
import { profileTest } from "./profile-context.ts";

const baseUrl = new URL("https://shop.example/v1");
const state = limiterId(baseUrl.origin, "secret");
const chosen = (limiterState?: string): ConnectionTarget["chosen"] => ({
  name: "shop",
  profile: { baseUrl: baseUrl.href, keyCommand: "pass", ...(limiterState && { limiterState }) },
});
const withKey: ConnectionTarget = { baseUrl, key: { value: "secret" }, chosen: undefined };
const withCommand = (limiterState?: string): ConnectionTarget => ({
  baseUrl,
  key: { command: "pass" },
  chosen: chosen(limiterState),
});

/** Returns a context whose limiter knows about a wait, and what it was opened for. */
function world({ isShared = false } = {}) {
  const { context, ran } = profileTest();
  const opened: LimiterTarget[] = [];
  const limiter = async (target: LimiterTarget) => {
    opened.push(target);
    return { sync: async () => {}, status: () => ({ now: 1, limit: 60 }) };
  };
  const limiterServer = async () => (isShared ? { url: "redis://r", required: false } : undefined);
  const known = { ...context, limiter, limiterServer } as unknown as Context;
  return { context: known, opened, ran };
}

describe("openKnownLimiter", () => {
  it.each<[string, ConnectionTarget, LimiterTarget]>([
    ["a key", withKey, { baseUrl, apiKey: "secret" }],
    ["the key that a command printed last", withCommand(state), { state }],
    ["a command that has not printed one", withCommand(), { state: "0".repeat(32) }],
  ])("opens that of %s without running a command", async (_what, target, expected) => {
    const { context, opened, ran } = world();
    await openKnownLimiter(context, target);
    expect([opened, ran]).toEqual([[expected], []]);
  });
});

describe("readKnownLimits", () => {
  it("opens nothing if nothing was ever recorded", async () => {
    const { context, opened } = world();
    expect(await readKnownLimits(context, withKey)).toEqual({ now: context.clock.now() });
    expect(opened).toEqual([]);
  });

  it.each([withKey, withCommand(state)])("reads what was recorded", async (target) => {
    const { context } = world();
    const paths = limiterPaths(context.folders.state, state);
    mkdirSync(paths.folder, { recursive: true });
    writeFileSync(segmentPath(paths, 1), "");
    expect(await readKnownLimits(context, target)).toEqual({ now: 1, limit: 60 });
  });

  it("asks a shared limiter even if nothing is recorded here", async () => {
    expect(await readKnownLimits(world({ isShared: true }).context, withKey)).toMatchObject({
      limit: 60,
    });
  });
});
