import { describe, expect, it } from "vitest";
import {
  isEntries,
  isEntry,
  isFaults,
  isLink,
  isState,
} from "../../../src/commands/store/replies.ts";
import { entryOf } from "./store-context.ts";

it.each([
  [{ pets: 1, requests: { 200: 1 }, early: 0, bans: 0, more: [] }, true],
  [{ pets: 1, requests: {}, early: 0, bans: {} }, false],
  [{ pets: 1, requests: { 200: {} }, early: 0, bans: 0 }, false],
  [{ pets: 1, requests: null, early: 0, bans: 0 }, false],
  [{}, false],
  [[], false],
])("isState(%j) is %s", (value, is) => {
  expect(isState(value)).toBe(is);
});

it.each([
  [{ fault: "", latency: "0" }, true],
  [{ fault: {}, latency: "0" }, false],
  [{ fault: "" }, false],
])("isFaults(%j) is %s", (value, is) => {
  expect(isFaults(value)).toBe(is);
});

describe("isEntry", () => {
  it.each([
    ["what the store sends", {}, true],
    ["one without a reply", { status: null, keyId: null }, true],
    ["one with more fields", { more: 1 }, true],
    ["a number as its id", { id: 7 }, false],
    ["no method", { method: undefined }, false],
    ["a path that is not text", { path: null }, false],
    ["a duration that is not a number", { durationMs: "1" }, false],
    ["an invalid time", { time: "soon" }, false],
  ])("of %s", (_what, more, is) => {
    expect(isEntry({ ...entryOf("s-1"), ...more })).toBe(is);
  });

  it("is checked for each entry of a list", () => {
    const entry = entryOf("s-1");
    const lists = [[], [entry, entry], [entry, null], entry];
    expect(lists.map((list) => isEntries(list))).toEqual([true, true, false, false]);
  });
});

it.each([
  [{ url: "http://127.0.0.1:8080/#x" }, true],
  [{ url: "https://localhost/#x" }, true],
  [{ url: "javascript:alert(1)" }, false],
  [{ url: "http://evil.example/#x" }, false],
  [{ url: "file://127.0.0.1/etc" }, false],
  [{ url: "nonsense" }, false],
  [{ url: 7 }, false],
  [[], false],
])("isLink(%j) is %s", (value, is) => {
  expect(isLink(value)).toBe(is);
});
