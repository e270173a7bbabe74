import { expect, it } from "vitest";
import { type History, type InputFile, rowOf } from "./any-history.ts";
import { playHistory, plainly, runHistories } from "./histories.ts";
import type { Fate } from "./shop.ts";

const file = (...names: readonly string[]): InputFile => ({
  format: "ndjson",
  rows: names.map((text) => {
    const [name = "", status] = text.split(" ");
    return rowOf(name, status === "sold" ? status : undefined);
  }),
});

const fate = (is: Fate["is"], turns: Fate["turns"] = [0, 0]): Fate => ({ is, turns, seconds: 1 });

/** What was broken once, each in its shortest form. */
const found: Readonly<Record<string, Pick<History, "files" | "commands">>> = {
  "a run after one with --again compares again": {
    files: [file("a")],
    commands: [plainly(0), plainly(0, { how: "again", fates: [fate("stop")] })],
  },
  "a row that is left out for an unknown one is not told as known": {
    files: [file("a"), file("a", "b")],
    commands: [plainly(1, { fates: [fate("gone")] }), plainly(0)],
  },
  "a row without a status does not take the animal of another import": {
    files: [file("a"), file("a", "a", "a sold")],
    commands: [
      plainly(0, { fates: [fate("gone")] }),
      plainly(1, { fates: [fate("ok"), fate("kept")] }),
    ],
  },
  "outcomes that failed to be written wait in front of others": {
    files: [file("a", "a")],
    commands: [
      plainly(0, {
        fates: [fate("ok", [2, 0])],
        concurrency: 4,
        trouble: { kind: "full", at: 7, busy: 1 },
      }),
      plainly(0),
    ],
  },
  "no step of the clock makes a row settle too early": {
    files: [file("a")],
    commands: [
      plainly(0, { fates: [fate("late")] }),
      { type: "jump", ms: 3_600_000 },
      plainly(0, { how: "check" }),
      { type: "check", place: 0, trouble: undefined },
      plainly(0),
    ],
  },
  "a step back of the clock keeps no row from being settled": {
    files: [file("a")],
    commands: [plainly(0, { fates: [fate("gone")] }), { type: "jump", ms: -3_600_000 }],
  },
  "a row that a running import is still to send is not told as known": {
    files: [file("a sold"), file("a")],
    commands: [
      {
        type: "pair",
        one: plainly(0, { fates: [fate("ok", [1, 0])] }),
        other: plainly(1),
      },
    ],
  },
  "a run that is refused writes no results": {
    files: [file("a")],
    commands: [plainly(0), { type: "pair", one: plainly(0), other: plainly(0) }],
  },
  "a run that could not begin does not tell added rows as not sent": {
    files: [file("a")],
    commands: [plainly(0), plainly(0, { trouble: { kind: "full", at: 1, busy: 0 } })],
  },
  "a name is one in each of its Unicode forms": {
    files: [file("Zo\u00eb"), file("Zoe\u0308")],
    commands: [plainly(0), plainly(1)],
  },
  "a row that is left out has the id of an animal of its own": {
    files: [file("a", "a"), file("a", "a", "a")],
    commands: [
      plainly(0, { fates: [fate("stop")], concurrency: 4 }),
      plainly(1, { fates: [fate("stop")] }),
      plainly(0),
    ],
  },
};

it.each(Object.entries(found))("%s", async (_name, history) => {
  const { broken, log } = await playHistory({ given: undefined, ...history });
  expect({ broken, log: broken.length > 0 ? log : [] }).toEqual({ broken: [], log: [] });
});

it("keeps to the reference in random histories", async () => {
  const broken = await runHistories({ numRuns: 200, seed: 47 });
  expect(broken?.words).toBeUndefined();
});
