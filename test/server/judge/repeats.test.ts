import { describe, expect, it } from "vitest";
import type { EndedRequest } from "../../../src/server/judge/facts.ts";
import { findAbandoned, findDuplicates } from "../../../src/server/judge/repeats.ts";
import { add, ask, endings, refused } from "./facts.ts";

describe("findDuplicates", () => {
  const second = { id: 2 };
  it.each<[string, readonly EndedRequest[], readonly (readonly number[])[]]>([
    ["none if the first was answered", [add("answered", 0), add("answered", 10, second)], []],
    ["one after a reset", [add("reset", 0), add("answered", 10, second)], [[1, 2]]],
    ["one after a cut response", [add("cut off", 0), add("answered", 10, second)], [[1, 2]]],
    ["one after a 5xx", [add("failed", 0), add("answered", 10, second)], [[1, 2]]],
    ["one after the client left", [add("left", 0), add("answered", 10, second)], [[1, 2]]],
    ["none if the first was not kept", [add("failed", 0, { id: 0 }), add("answered", 9)], []],
    ["none if the second was not kept", [add("failed", 0), add("failed", 10, { id: 0 })], []],
    [
      "a later one, if the second was not kept",
      [add("failed", 0), add("failed", 10, { id: 0 }), add("answered", 20, second)],
      [[1, 2]],
    ],
    [
      "one for one loss: the next equal animal is another one",
      [add("reset", 0), add("answered", 10, second), add("answered", 20, { id: 3 })],
      [[1, 2]],
    ],
    [
      "one that is lost again, with all its ids",
      [add("reset", 0), add("reset", 10, second), add("answered", 20, { id: 3 })],
      [[1, 2, 3]],
    ],
    [
      "two for two losses",
      [
        add("reset", 0, { endedAt: 50 }),
        add("reset", 10, { id: 2, endedAt: 60 }),
        add("answered", 70, { id: 3 }),
        add("answered", 80, { id: 4 }),
      ],
      [
        [1, 3],
        [2, 4],
      ],
    ],
    [
      "one whose loss is known last, because the store was still busy with it",
      [add("answered", 301, second), add("left", 0, { endedAt: 300 })],
      [[1, 2]],
    ],
    [
      "one that was seen before the close of the first",
      [add("left", 0, { endedAt: 400 }), add("answered", 301, second)],
      [[1, 2]],
    ],
    [
      "none that was sent well before the first was lost",
      [add("left", 0, { endedAt: 2_000 }), add("answered", 1_700, second)],
      [],
    ],
    [
      "none that was sent before the store ended the first",
      [add("reset", 0, { endedAt: 400 }), add("answered", 301, second)],
      [],
    ],
    [
      "none whose client was stopped together with the first",
      [add("left", 0, { endedAt: 400 }), add("left", 301, { id: 2, endedAt: 401 })],
      [],
    ],
    ["none of another key", [add("reset", 0), add("answered", 9, { id: 2, key: "x" })], []],
    ["none of another animal", [add("reset", 0), add("answered", 9, { id: 2, name: "x" })], []],
  ])("finds %s", (_what, requests, ids) => {
    const found = findDuplicates(requests).map((group) =>
      group.map(({ added }) => Number(added?.id)),
    );
    expect(found).toEqual(ids);
  });
});

describe("findAbandoned", () => {
  const failed = { status: 500 };
  const thirty = Array.from({ length: 30 }, (_, place) => refused(place * 10));
  it.each<[string, readonly EndedRequest[], number]>([
    ["one that failed", [ask(0, failed)], 1],
    ["one without a response", [ask(0, endings.left)], 1],
    ["one that was cut off", [ask(0, { isComplete: false })], 1],
    ["one that was refused", [refused(0)], 1],
    ["thirty equal ones that were refused and dropped", thirty, 30],
    ["none of thirty before an answer", [...thirty, ask(5_000)], 0],
    ["none that was tried again", [ask(0, failed), ask(10)], 0],
    ["none whose failure is known last", [ask(10), ask(0, { ...endings.left, endedAt: 9 })], 0],
    ["both tries of one that failed again", [ask(0, failed), ask(10, failed)], 2],
    ["one that failed later on", [ask(0), ask(10, failed)], 1],
    [
      "one of two",
      [ask(0, { ...failed, endedAt: 50 }), ask(10, { ...failed, endedAt: 60 }), ask(70)],
      1,
    ],
    ["one, if another path was tried", [ask(0, failed), ask(9, { target: "/v1/pets/1" })], 1],
    ["one, if another key tried", [ask(0, failed), ask(9, { key: "x" })], 1],
    ["no POST", [ask(0, { ...failed, method: "POST" })], 0],
    ["no 404", [ask(0, { status: 404 })], 0],
  ])("finds %s", (_what, requests, count) => {
    expect(findAbandoned(requests)).toHaveLength(count);
  });
});
