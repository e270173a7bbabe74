import { expect, it } from "vitest";
import { alreadyAdded } from "../../../src/commands/add-from/known-rows.ts";

const now = Date.UTC(2026, 10, 20);
const command = "pets add --from new.csv";
const rows = {
  changed: 0,
  isUnfinished: 0,
  name: "old.csv",
  active: now - 2 * 3_600_000,
} as const;

it.each<[number, number, string[]]>([
  [3, 2, [`To send only the new one: ${command} --only-new`]],
  [9, 2, [`To send only the 7 new ones: ${command} --only-new`]],
  [3, 3, []],
])(
  "of %i rows %i were added: says by which run and when, and offers %j",
  (compared, known, hints) => {
    const next = (flag?: string) => `${command} ${flag}`;
    expect(alreadyAdded({ ...rows, compared, known }, next, now)).toMatchObject({
      kind: "usage",
      code: "already_added",
      message: `nothing sent: ${known} of ${compared} animals may already be in the store (old.csv, 2 h ago)`,
      hints: [...hints, `To send all of them: ${command} --again`],
      facts: {
        retryable: false,
        earlierRows: { known, rows: compared, file: "old.csv", at: "2026-11-19T22:00:00.000Z" },
      },
    });
  },
);
