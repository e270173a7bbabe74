import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Context } from "../../../src/commands/context.ts";
import { openServeProfile } from "../../../src/commands/serve/serve-profile.ts";
import type { Profile, ProfileData } from "../../../src/config/profiles/profiles.ts";
import type { ProfileStore } from "../../../src/config/profiles/store.ts";
import type { TypedOptions } from "../../../src/config/settings.ts";
import { ioFailure } from "../../../src/core/errors.ts";
import { startTestStore } from "../../support/servers/store.ts";
import { profileTest } from "../profile-context.ts";

const started = {
  baseUrl: "http://127.0.0.1:8123/v1",
  keys: [{ apiKey: "new", plan: "free" }],
} as const;
/** A store that keeps its data, and one that does not. */
const kept = { file: "x.db", profile: true };
const inMemory = { file: undefined, profile: true };
const own: Profile = { baseUrl: "https://shop.example/v1", apiKey: "mine" };

/** Returns a profile that `pets serve` made for a stopped store, or for one that runs at `baseUrl`. */
const served = async (baseUrl?: string): Promise<Profile> => ({
  baseUrl: baseUrl ?? "http://127.0.0.1:1/v1",
  apiKey: "old",
  madeByServe: true,
});

/** Saves a started store with these existing profiles; returns the new profiles, and the output. */
async function save(profiles: Readonly<Record<string, Profile>>, globals: TypedOptions = {}) {
  const { context, store, stderr } = profileTest({ globals });
  await store.update(() => ({ profiles, current: Object.keys(profiles)[0] }) as ProfileData);
  const name = await (await openServeProfile(context, kept)).save(started);
  return { name, said: stderr.text, after: await store.read() };
}

describe("the name of the profile", () => {
  it("is local, which becomes the current one", async () => {
    const { name, said, after } = await save({});
    expect([name, said]).toEqual([
      "local",
      "Saved base URL and key as profile local, now the current one.\n",
    ]);
    const local = { baseUrl: started.baseUrl, apiKey: "new", madeByServe: true };
    expect(after).toMatchObject({ profiles: { local }, current: "local" });
  });

  it.each<[string, () => Promise<Profile>, string | undefined]>([
    ["of a store that no longer runs", () => served(), "local"],
    ["of a store that runs", async () => served((await startTestStore()).baseUrl), "local-8123"],
    ["of the user's own", async () => own, "local-8123"],
  ])("if local is that %s", async (_whose, local, expected) => {
    const before = await local();
    const { name, after } = await save({ local: before });
    expect(name).toBe(expected);
    expect(after.profiles[name ?? ""]).toMatchObject({ apiKey: "new" });
    expect(after.profiles.local?.apiKey).toBe(name === "local" ? "new" : before.apiKey);
  });

  it("is local again if that has the address of the store itself, which is now running", async () => {
    const { baseUrl } = await startTestStore();
    const { context, store } = profileTest();
    await store.update(() => ({ profiles: { local: { ...own, baseUrl, madeByServe: true } } }));
    const profile = await openServeProfile(context, kept);
    expect(await profile.save({ ...started, baseUrl })).toBe("local");
  });

  it("is none if others have both names, with a warning", async () => {
    const { name, said, after } = await save({ local: own, "local-8123": own });
    expect([name, said]).toEqual([
      undefined,
      "no profile was saved: others have the names that this store may use\n",
    ]);
    expect(after.profiles).toEqual({ local: own, "local-8123": own });
  });

  it("is that of --profile, whatever runs there", async () => {
    const mine = await served((await startTestStore()).baseUrl);
    const { name, after } = await save({ mine }, { profile: "mine" });
    expect([name, after.profiles.mine?.apiKey]).toEqual(["mine", "new"]);
  });

  it("is never that of a profile that it did not make", async () => {
    await expect(save({ mine: own }, { profile: "mine" })).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining("`pets serve` did not make profile mine"),
    });
  });
});

it("prints nothing if nothing changes", async () => {
  const local = { baseUrl: started.baseUrl, apiKey: "new", madeByServe: true };
  expect(await save({ local })).toMatchObject({ name: "local", said: "" });
});

it.each<[TypedOptions, readonly string[]]>([
  [{}, ["a", "b"]],
  [{ profile: "other" }, ["b", "a"]],
])("returns with %j the keys that earlier stores may have issued: %j", async (globals, keys) => {
  const { context, store } = profileTest({ globals });
  const local = { ...(await served()), apiKey: "a" };
  const other = { ...(await served()), apiKey: "b" };
  await store.update(() => ({ profiles: { shop: own, local, other } }));
  expect((await openServeProfile(context, kept)).knownKeys).toEqual(keys);
});

/** Returns a context in which the profile file is damaged. */
function damaged(globals: TypedOptions = {}) {
  const world = profileTest({ globals });
  mkdirSync(world.store.folder, { recursive: true });
  writeFileSync(world.store.file, "no JSON");
  return world;
}

const failUpdate = () => Promise.reject(ioFailure("the disk is full"));

describe("profiles that can't be used", () => {
  it("do not prevent the store from starting", async () => {
    expect((await openServeProfile(damaged().context, kept)).knownKeys).toEqual([]);
  });

  it("prevent it if --profile names one", async () => {
    await expect(openServeProfile(damaged({ profile: "x" }).context, kept)).rejects.toThrow(
      /profile/,
    );
  });

  it("cause a warning when the store is saved", async () => {
    const { context, store, stderr } = profileTest();
    const full: Context = { ...context, profiles: async () => ({ ...store, update: failUpdate }) };
    expect(await (await openServeProfile(full, kept)).save(started)).toBeUndefined();
    expect(stderr.text).toBe("the profile local was not saved: the disk is full\n");
  });
});

it("chooses again if another process has taken the name in the meantime", async () => {
  const { context, store } = profileTest();
  const update: ProfileStore["update"] = async (change) => {
    const { profiles } = await store.read();
    if (profiles.local === undefined) await store.update(() => ({ profiles: { local: own } }));
    return store.update(change);
  };
  const racing: Context = { ...context, profiles: async () => ({ ...store, update }) };
  expect(await (await openServeProfile(racing, kept)).save(started)).toBe("local-8123");
  expect((await store.read()).profiles.local).toEqual(own);
});

describe("the profile of a store in memory", () => {
  it.each<[string, () => Promise<Readonly<Record<string, Profile>>>, string | undefined]>([
    ["local", async () => ({}), "local"],
    [
      "local, if a killed store in memory left that",
      async () => ({ local: { ...(await served()), madeByServe: "memory" } }),
      "local",
    ],
    [
      "never that of a store that keeps its data",
      async () => ({ local: await served() }),
      "local-8123",
    ],
    [
      "none if that has both names",
      async () => ({ local: await served(), "local-8123": await served() }),
      undefined,
    ],
  ])("is %s, and goes when it stops", async (_what, profilesOf, expected) => {
    const before = await profilesOf();
    const { context, store } = profileTest();
    await store.update(() => ({ profiles: before }));
    const profile = await openServeProfile(context, inMemory);
    expect(profile.knownKeys).toEqual([]);
    expect(await profile.save(started)).toBe(expected);
    const { profiles } = await store.read();
    expect(expected === undefined || profiles[expected]?.madeByServe).toBe(
      expected === undefined || "memory",
    );
    await profile.remove();
    const lasting = Object.entries(before).filter(([, { madeByServe }]) => madeByServe === true);
    expect(await store.read()).toEqual({ profiles: Object.fromEntries(lasting) });
  });

  it("is refused if --profile names that of a store that keeps its data", async () => {
    const { context, store } = profileTest({ globals: { profile: "mine" } });
    const mine = await served();
    await store.update(() => ({ profiles: { mine } }));
    await expect(openServeProfile(context, inMemory)).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining("belongs to a store that keeps its data"),
    });
  });

  it("of one that was killed goes at the next start, that of one that runs stays", async () => {
    const { context, store } = profileTest();
    const left: Profile = { ...(await served()), madeByServe: "memory" };
    const running: Profile = {
      ...(await served((await startTestStore()).baseUrl)),
      madeByServe: "memory",
    };
    await store.update(() => ({ current: "left", profiles: { left, running, own } }));
    await openServeProfile(context, { ...kept, profile: false });
    expect(await store.read()).toEqual({ profiles: { running, own } });
  });
});

it("saves nothing with --no-profile", async () => {
  const { context, store, stderr } = profileTest();
  const profile = await openServeProfile(context, { ...kept, profile: false });
  expect(await profile.save(started)).toBeUndefined();
  await profile.remove();
  expect([await store.read(), stderr.text]).toEqual([{ profiles: {} }, ""]);
});
