import { expect, it } from "vitest";
import { localKey, saveLocalProfile } from "../../../src/config/profiles/profiles.ts";
import { testStore } from "../support.ts";

const url = "http://127.0.0.1:4010/v1";

it("keeps the profile local and makes it current where none is", async () => {
  const store = testStore();
  expect(await localKey(store)).toBeUndefined();
  await saveLocalProfile(store, url, "first");
  expect(await localKey(store)).toBe("first");
  expect(await store.read()).toEqual({
    current: "local",
    profiles: { local: { baseUrl: url, apiKey: "first" } },
  });
});

it("makes it current where the current one is gone", async () => {
  const store = testStore();
  await store.update(() => ({ current: "ghost", profiles: {} }));
  await saveLocalProfile(store, url, "first");
  expect((await store.read()).current).toBe("local");
});

it("leaves another current profile current", async () => {
  const store = testStore();
  const shop = { baseUrl: "https://shop.example/v1", apiKey: "k" };
  await store.update(() => ({ current: "shop", profiles: { shop } }));
  await saveLocalProfile(store, url, "first");
  await saveLocalProfile(store, url, "second");
  expect(await store.read()).toEqual({
    current: "shop",
    profiles: { shop, local: { baseUrl: url, apiKey: "second" } },
  });
});
