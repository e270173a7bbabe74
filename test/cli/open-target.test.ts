import { describe, expect, it } from "vitest";
import { openTarget } from "../../src/cli/open-target.ts";
import type { Context } from "../../src/commands/context.ts";
import type { Profile } from "../../src/config/profiles/profiles.ts";
import { ioFailure } from "../../src/core/errors.ts";
import { limiterId } from "../../src/rate-limiter/log/files/segment-paths.ts";
import { profileTest } from "../commands/profile-context.ts";

const baseUrl = new URL("https://shop.example/v1");
const profile: Profile = { baseUrl: baseUrl.href, keyCommand: "pass shop" };
const limiterState = limiterId(baseUrl.origin, "printed");

const printed = { baseUrl, apiKey: "printed", fromCommand: true };

/** Opens the connection of a profile with a key command, with these profiles on disk. */
async function open(stored: Profile | undefined, chosen = profile) {
  const { context, store, ran } = profileTest({ printed: "printed" });
  await store.update(() => ({ profiles: stored === undefined ? {} : { shop: stored } }));
  const target = {
    baseUrl,
    key: { command: "pass shop" },
    chosen: { name: "shop", profile: chosen },
  };
  const connection = await openTarget(context, target);
  return { connection, ran, after: (await store.read()).profiles.shop };
}

describe("a key that is already known", () => {
  it.each([
    [undefined, {}],
    [{ name: "shop", profile }, { profile: "shop" }],
  ])("is used unchanged: %j", async (chosen, more) => {
    const { context, ran } = profileTest();
    const connection = await openTarget(context, { baseUrl, key: { value: "k" }, chosen });
    expect([connection, ran]).toEqual([{ baseUrl, apiKey: "k", ...more }, []]);
  });
});

describe("a command that prints the key", () => {
  it("is run, and the limiter of its key is saved in the profile", async () => {
    const { connection, ran, after } = await open(profile);
    expect(connection).toEqual({ ...printed, profile: "shop" });
    expect([ran, after]).toEqual([["pass shop"], { ...profile, limiterState }]);
  });

  it.each<[string, Profile | undefined]>([
    ["has another command now", { ...profile, keyCommand: "other" }],
    ["has another base URL now", { ...profile, baseUrl: "https://other.example/v1" }],
    ["was removed", undefined],
  ])("does not change a profile that %s", async (_what, stored) => {
    expect((await open(stored)).after).toEqual(stored);
  });

  it("outside a profile saves nothing", async () => {
    const { context } = profileTest({ printed: "printed" });
    const target = { baseUrl, key: { command: "pass" }, chosen: undefined };
    expect(await openTarget(context, target)).toEqual(printed);
  });

  it.each([
    ["a profile file that cannot be written", ioFailure("the disk is full"), true],
    ["an internal error", new TypeError("oh"), false],
  ])("is stopped by %s: %s", async (_what, error, isConnected) => {
    const { context } = profileTest({ printed: "printed" });
    const failing: Context = { ...context, profiles: () => Promise.reject(error) };
    const target = { baseUrl, key: { command: "pass" }, chosen: { name: "shop", profile } };
    const opened = await openTarget(failing, target).catch((thrown: unknown) => thrown);
    expect(opened).toEqual(isConnected ? { ...printed, profile: "shop" } : error);
  });

  it("writes nothing if the profile already has the limiter", async () => {
    const known = { ...profile, limiterState };
    const { context } = profileTest({ printed: "printed" });
    const failing: Context = { ...context, profiles: () => Promise.reject(new TypeError("asked")) };
    const target = { baseUrl, key: { command: "pass" }, chosen: { name: "shop", profile: known } };
    expect(await openTarget(failing, target)).toMatchObject({ apiKey: "printed" });
  });
});
