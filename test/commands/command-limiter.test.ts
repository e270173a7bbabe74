import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readKnownLimits } from "../../src/commands/command-limiter.ts";
import type { Context } from "../../src/commands/context.ts";
import type { LimitedKey } from "../../src/commands/service.ts";
import type { ServiceTarget } from "../../src/config/connection.ts";
import { segmentPath, limiterPaths } from "../../src/rate-limiter/log/files/segment-paths.ts";
import { profileTest } from "./profile-context.ts";

const baseUrl = new URL("https://shop.example/v1");
const withKey: ServiceTarget = { baseUrl, key: { value: "secret", from: "", hint: "" } };
const withCommand: ServiceTarget = { baseUrl, key: { command: "pass", from: "", hint: "" } };

/** Returns a context whose limiter knows about a wait, and what it was opened for. */
function world({ isShared = false } = {}) {
  const { context, ran } = profileTest();
  const opened: LimitedKey[] = [];
  const limiter = async (target: LimitedKey) => {
    opened.push(target);
    return { sync: async () => {}, status: () => ({ now: 1, limit: 60 }) };
  };
  const limiterServer = async () => (isShared ? { url: "redis://r", required: false } : undefined);
  const known = { ...context, service: { limiter, limiterServer } } as unknown as Context;
  return { context: known, opened, ran };
}

describe("readKnownLimits", () => {
  it("opens nothing if nothing was ever recorded", async () => {
    const { context, opened } = world();
    expect(await readKnownLimits(context, withKey)).toEqual({ now: context.clock.now() });
    expect(opened).toEqual([]);
  });

  it("reads what was recorded", async () => {
    const { context } = world();
    const [paths = { folder: "", name: "" }] = limiterPaths(
      context.folders,
      baseUrl.origin,
      "secret",
    );
    mkdirSync(paths.folder, { recursive: true });
    writeFileSync(segmentPath(paths, 1), "");
    expect(await readKnownLimits(context, withKey)).toEqual({ now: 1, limit: 60 });
  });

  it("knows nothing of a key that a command would print, and does not run it", async () => {
    const { context, ran } = world({ isShared: true });
    expect(await readKnownLimits(context, withCommand)).toEqual({ now: context.clock.now() });
    expect(ran).toEqual([]);
  });

  it("asks a shared limiter even if nothing is recorded here", async () => {
    const { context } = world({ isShared: true });
    expect(await readKnownLimits(context, withKey)).toMatchObject({ limit: 60 });
  });
});
