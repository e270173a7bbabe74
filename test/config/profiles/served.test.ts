import { describe, expect, it } from "vitest";
import type { Profile, ProfileData } from "../../../src/config/profiles/profiles.ts";
import {
  describeChange,
  isSameStore,
  ownerProblem,
  servedKeys,
  withoutMemory,
  withStore,
} from "../../../src/config/profiles/served.ts";

const baseUrl = "http://127.0.0.1:4010/v1";
const own = { baseUrl: "https://shop.example/v1", apiKey: "mine" };
const kept = { baseUrl, apiKey: "a", madeByServe: true };
const memory = { baseUrl: "http://127.0.0.1:9/v1", apiKey: "b", madeByServe: "memory" as const };
const data: ProfileData = { current: "shop", profiles: { shop: own, kept, memory } };

const notMade = "profile shop was not made by `pets serve`, which does not replace it";

it.each([
  ["nothing", false, undefined],
  ["constructor", false, undefined],
  ["shop", false, notMade],
  ["shop", true, notMade],
  ["kept", false, undefined],
  ["kept", true, "profile kept belongs to a store that keeps its data"],
  ["memory", false, undefined],
  ["memory", true, undefined],
])("the owner of profile %s, for a store in memory (%j): %j", (name, inMemory, problem) => {
  expect(ownerProblem(data, name, inMemory)).toBe(problem);
});

it.each([
  ["kept", "a", ["a", "b"]],
  ["memory", "b", ["b", "a"]],
  ["shop", undefined, ["a", "b"]],
  ["constructor", undefined, ["a", "b"]],
])("the keys for the profile %s are that of its store, then others'", (name, ownKey, knownKeys) => {
  expect(servedKeys(data, name)).toEqual({ ownKey, knownKeys });
});

const changes: readonly [string, ProfileData, string, Profile, string | undefined][] = [
  ["saves a new one", data, "new", kept, "Saved base URL and key as profile new."],
  [
    "makes the first one current",
    { profiles: {} },
    "new",
    kept,
    "Saved base URL and key as profile new, now the current one.",
  ],
  ["says nothing of an equal one", data, "kept", kept, undefined],
  [
    "says what one had before",
    data,
    "memory",
    kept,
    "Updated profile memory: its base URL was http://127.0.0.1:9/v1, and it has another key.",
  ],
  [
    "makes an equal one current if none is",
    { profiles: { kept } },
    "kept",
    kept,
    "Profile kept is now the current one.",
  ],
];

describe("a store that is saved", () => {
  it.each(changes)("%s", (_what, before, name, store, said) => {
    const after = withStore(before, name, store);
    expect(after).toEqual({
      current: before.current ?? name,
      profiles: { ...before.profiles, [name]: store },
    });
    expect(describeChange(before, after, name)).toBe(said);
  });

  it("leaves the other settings of its profile", () => {
    const limited = { ...memory, limiter: "none" };
    const { profiles } = withStore({ profiles: { limited } }, "limited", kept);
    expect(profiles.limited).toEqual({ ...kept, limiter: "none" });
  });
});

it("removes stores in memory, and of those the ones that are meant", () => {
  const rest = { ...data, profiles: { shop: own, kept } };
  expect(withoutMemory(data, () => true)).toEqual(rest);
  expect(withoutMemory(data, (each) => isSameStore(each, kept))).toEqual(data);
});

it.each<[Profile | undefined, Profile | undefined, boolean]>([
  [undefined, undefined, true],
  [undefined, kept, false],
  [kept, { ...kept, madeByServe: "memory" }, true],
  [kept, { ...kept, apiKey: "c" }, false],
  [kept, { ...kept, baseUrl: own.baseUrl }, false],
])("%j and %j are of the same store: %j", (one, other, isSame) => {
  expect(isSameStore(one, other)).toBe(isSame);
});
