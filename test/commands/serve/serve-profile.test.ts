import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Context } from "../../../src/commands/context.ts";
import { isStoreRunning, openServeProfile } from "../../../src/commands/serve/serve-profile.ts";
import type { Profile, ProfileData } from "../../../src/config/profiles/profiles.ts";
import type { TypedOptions } from "../../../src/config/settings.ts";
import { ioFailure } from "../../../src/core/errors.ts";
import { readTls } from "../../../src/server/http/tls.ts";
import { startTestStore } from "../../support/servers/store.ts";
import { reply, startStranger } from "../../support/servers/stranger.ts";
import { tlsFiles } from "../../support/servers/tls.ts";
import { profileTest } from "../profile-context.ts";

const started = { baseUrl: "http://127.0.0.1:4010/v1", apiKey: "new" };
const elsewhere = { ...started, baseUrl: "http://127.0.0.1:8123/v1" };
/** A store that keeps its data, and one that does not. */
const kept = { file: "x.db", profile: true };
const inMemory = { ...kept, file: undefined };
const own: Profile = { baseUrl: "https://shop.example/v1", apiKey: "mine" };

/** Returns a profile that `pets serve` made for a stopped store, or for one that runs at `baseUrl`. */
const served = (baseUrl = "http://127.0.0.1:1/v1"): Profile => ({
  baseUrl,
  apiKey: "old",
  madeByServe: true,
});
const leftInMemory = (baseUrl?: string): Profile => ({ ...served(baseUrl), madeByServe: "memory" });

type Profiles = Readonly<Record<string, Profile>>;

/** Saves a started store beside these profiles; returns its name, the new profiles, and the output. */
async function save(
  profiles: Profiles,
  {
    globals = {},
    store: settings = kept,
    service = started,
  }: {
    readonly globals?: TypedOptions;
    readonly store?: Parameters<typeof openServeProfile>[1];
    readonly service?: typeof started;
  } = {},
) {
  const { context, store, stderr } = profileTest({ globals });
  await store.update(() => ({ profiles, current: Object.keys(profiles)[0] }) as ProfileData);
  const port = Number(new URL(service.baseUrl).port);
  const profile = await openServeProfile(context, settings, port);
  const name = await profile.save(service);
  return { name, said: stderr.text, after: await store.read(), store, profile };
}

describe("the name of the profile", () => {
  it("is local on the default port, and becomes the current one where none is", async () => {
    const { name, said, after } = await save({});
    expect(name).toBe("local");
    expect(said).toBe("Saved base URL and key as profile local, now the current one.\n");
    const local = { baseUrl: started.baseUrl, apiKey: "new", madeByServe: true };
    expect(after).toMatchObject({ profiles: { local }, current: "local" });
  });

  it.each<[string, Profiles, boolean, typeof started, string]>([
    ["of another port", {}, false, elsewhere, "local-8123"],
    ["where a stopped store has it", { local: served() }, false, started, "local"],
    ["in memory", { shop: own }, true, started, "local"],
    ["in memory, after one that was killed", { local: leftInMemory() }, true, started, "local"],
    ["in memory beside data", { local: served() }, true, started, "local-memory"],
    ["in memory elsewhere", { "local-8123": served() }, true, elsewhere, "local-memory"],
  ])("%s", async (_what, before, isInMemory, service, expected) => {
    const store = isInMemory ? inMemory : kept;
    const { name, after, said } = await save(before, { store, service });
    expect(name).toBe(expected);
    expect(after.profiles[expected]).toMatchObject({ apiKey: "new" });
    expect(said).toContain(`profile ${expected}`);
  });

  it("is none where local is the user's own, with a warning", async () => {
    const { name, after, said } = await save({ local: own });
    expect([name, after.profiles]).toEqual([undefined, { local: own }]);
    expect(said).toBe(
      "warning: no profile was saved: profile local was not made by `pets serve`, which does not replace it. Use another name with `--profile`, or remove it first: `pets profile remove local`.\n",
    );
  });

  it("is that of --profile", async () => {
    const { name, after, said } = await save({ mine: served() }, { globals: { profile: "mine" } });
    expect([name, after.profiles.mine?.apiKey]).toEqual(["mine", "new"]);
    expect(said).toBe(
      "Updated profile mine: its base URL was http://127.0.0.1:1/v1, and it has another key.\n",
    );
  });

  it.each<[string, Profile, typeof kept | typeof inMemory, string]>([
    ["that it did not make", own, kept, "profile mine was not made by `pets serve`"],
    ["of kept data", served(), inMemory, "belongs to a store that keeps its data"],
  ])("is never that of a profile %s", async (_what, mine, store, message) => {
    await expect(save({ mine }, { globals: { profile: "mine" }, store })).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining(message),
    });
  });

  it.each<[string, TypedOptions]>([
    ["local", {}],
    ["mine", { profile: "mine" }],
  ])("is never one that a running store uses: %s", async (name, globals) => {
    const { baseUrl } = await startTestStore();
    await expect(save({ [name]: served(baseUrl) }, { globals })).rejects.toMatchObject({
      kind: "usage",
      message: `profile ${name} belongs to the store that is running at ${baseUrl}`,
    });
    const { port } = new URL(baseUrl);
    const service = { ...started, baseUrl };
    const again = { [`local-${port}`]: served(baseUrl) };
    expect((await save(again, { service })).name).toBe(`local-${port}`);
  });
});

it("prints nothing if nothing changes", async () => {
  const local = { baseUrl: started.baseUrl, apiKey: "new", madeByServe: true };
  expect(await save({ local })).toMatchObject({ name: "local", said: "" });
});

describe("profiles that can't be used", () => {
  it("prevent the store from starting if --profile names one", async () => {
    const { context, store } = profileTest({ globals: { profile: "x" } });
    mkdirSync(store.folder, { recursive: true });
    writeFileSync(store.file, "no JSON");
    await expect(openServeProfile(context, kept, 4010)).rejects.toThrow(/profile/);
  });

  it("cause a warning when the store is saved", async () => {
    const { context, store, stderr } = profileTest();
    const full: Context = {
      ...context,
      profiles: async () => ({ ...store, update: () => Promise.reject(ioFailure("it is full")) }),
    };
    expect(await (await openServeProfile(full, kept, 4010)).save(started)).toBeUndefined();
    expect(stderr.text).toBe("warning: no profile was saved: it is full\n");
  });
});

describe("the profile of a store in memory", () => {
  it("goes when it stops, and no other's", async () => {
    const before = { shop: own, "local-9": served() };
    const { profile, store, name } = await save(before, { store: inMemory });
    expect([name, profile.knownKeys]).toEqual(["local", []]);
    expect((await store.read()).profiles.local?.madeByServe).toBe("memory");
    await profile.remove();
    expect(await store.read()).toEqual({ profiles: before, current: "shop" });
  });

  it("of one that was killed goes at the next start, that of one that runs stays", async () => {
    const { context, store } = profileTest();
    const running = leftInMemory((await startTestStore()).baseUrl);
    await store.update(() => ({
      current: "left",
      profiles: { left: leftInMemory(), running, own },
    }));
    await openServeProfile(context, { ...kept, profile: false }, 4010);
    expect(await store.read()).toEqual({ profiles: { running, own } });
  });
});

it.each([{ baseUrl: elsewhere.baseUrl }, { apiKey: "other" }])(
  "leaves a profile that has %j since the store began to start",
  async (change) => {
    const { profile, store } = await save({ local: served(started.baseUrl) });
    await store.update((data) => ({
      ...data,
      profiles: { local: { ...served(started.baseUrl), ...change } },
    }));
    expect(await profile.save(elsewhere)).toBeUndefined();
    expect((await store.read()).profiles.local).toMatchObject(change);
  },
);

it("saves nothing with --no-profile", async () => {
  const { context, store, stderr } = profileTest();
  const profile = await openServeProfile(context, { ...kept, profile: false }, 4010);
  expect(await profile.save(started)).toBeUndefined();
  await profile.remove();
  expect([await store.read(), stderr.text]).toEqual([{ profiles: {} }, ""]);
});

const stranger = async (status: number) => (await startStranger(reply(status, "{}"))).baseUrl;

describe("isStoreRunning", () => {
  it.each<[string, () => string | Promise<string>, boolean]>([
    ["a store", async () => (await startTestStore()).baseUrl, true],
    [
      "one with a self-signed certificate",
      async () => (await startTestStore({ options: { tls: readTls(tlsFiles()) } })).baseUrl,
      true,
    ],
    ["a server that has nothing of a store", () => stranger(200), false],
    ["a silent server", async () => (await startStranger(() => {})).baseUrl, false],
    ["nobody", () => "http://127.0.0.1:1/v1", false],
    ["no URL", () => "nonsense", false],
  ])("is asked about %s", async (_what, url, is) => {
    expect(await isStoreRunning(await url())).toBe(is);
  });
});
