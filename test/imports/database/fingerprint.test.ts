import { expect, it } from "vitest";
import { fingerprint } from "../../../src/imports/database/fingerprint.ts";

const named = (name: string, more = {}) => fingerprint({ name, categoryId: 1n, ...more });
const keyed = (key?: string) => fingerprint({ name: "Rex", categoryId: 1n }, key).key;

it.each([
  ["Zo\u00EB", "Zoe\u0308", true],
  ["\uAC00", "\u1100\u1161", true],
  ["Bo ", "Bo", true],
  ["\t\u3000Bo\u00A0", "Bo", true],
  ["Bo  1", "Bo 1", false],
  ["rex", "Rex", false],
  ["Zoe", "Zo\u00EB", false],
  ["\uFB01", "fi", false],
  ["7", "07", false],
])("the names %j and %j are one: %s", (one, other, isOne) => {
  expect(Buffer.compare(named(one).print, named(other).print) === 0).toBe(isOne);
});

it("tells categories apart, and keeps the status beside the hash", () => {
  const rex = named("Rex");
  expect(named("Rex", { categoryId: 2n }).print).not.toEqual(rex.print);
  expect(rex).toMatchObject({ status: "", key: null });
  expect(named("Rex", { status: "sold" })).toEqual({ ...rex, status: "sold" });
});

it.each([
  ["0017", "17", true],
  ["17.0", "17", true],
  ["17.00", "17", true],
  ["0017.0", "17", true],
  ["000", "0", true],
  ["A1", " a1 ", true],
  ["-5", "-05", true],
  ["-5", "5", false],
  ["1.000", "1", false],
  ["1,0", "1", false],
  ["17.5", "17", false],
  ["A017", "A17", false],
  ["9007199254740993", "9007199254740992", false],
  ["\u00C91", "e\u03011", true],
  ["\u00C91", "E1", false],
])("the keys %j and %j are one: %s", (one, other, isOne) => {
  expect(
    Buffer.compare(keyed(one) ?? new Uint8Array(), keyed(other) ?? new Uint8Array()) === 0,
  ).toBe(isOne);
  expect(keyed(one)).toHaveLength(16);
});

it.each([undefined, "", " \t"])("the key %j is none", (key) => {
  expect(keyed(key)).toBeNull();
});

it.each<[string, string | undefined, boolean]>([
  ["Rex", "a1", false],
  ["Rex", " A1", false],
  ["Rex", undefined, false],
  ["Rex ", "17", true],
  ["Zoe\u0308", undefined, true],
  ["Rex", "0017", true],
])("has for %j and %j what version 5 recorded, if that is something else: %s", (name, key, has) => {
  const { old, ...now } = fingerprint({ name, categoryId: 1n }, key);
  expect(old !== undefined).toBe(has);
  expect(old).not.toMatchObject({ print: now.print, key: now.key });
});
