import { describe, expect, it } from "vitest";
import { alreadyAdded } from "../../../src/commands/add-from/known-rows.ts";
import type { KnownRows } from "../../../src/imports/database/compare.ts";

const now = Date.UTC(2026, 10, 20);
const command = "pets add --from new.csv";
const next = (flag?: string) => `${command} ${flag}`;
const known = (changes: Partial<KnownRows> = {}): KnownRows => ({
  compared: 3,
  known: 2,
  changed: 0,
  isUnfinished: 0,
  name: "old.csv",
  active: now - 2 * 3_600_000,
  ...changes,
});
describe("alreadyAdded", () => {
  it("says what was added, by which run and when, and what to do", () => {
    expect(alreadyAdded(known(), next, now)).toMatchObject({
      kind: "usage",
      code: "already_added",
      message: "nothing sent: 2 of 3 animals may already be in the store (old.csv, 2 h ago)",
      hints: [
        `To send only the new one: ${command} --only-new`,
        `To send all of them: ${command} --again`,
      ],
      facts: {
        retryable: false,
        earlierRows: { known: 2, rows: 3, file: "old.csv", at: "2026-11-19T22:00:00.000Z" },
      },
    });
  });

  it.each<[Partial<KnownRows>, string[]]>([
    [{ compared: 9 }, [`To send only the 7 new ones: ${command} --only-new`]],
    [{ known: 3 }, []],
  ])("offers what is possible with %j", (changes, first) => {
    const { hints } = alreadyAdded(known(changes), next, now);
    expect(hints).toEqual([...first, `To send all of them: ${command} --again`]);
  });
});
