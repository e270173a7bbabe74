import { describe, expect, it } from "vitest";
import type { RunTotals } from "../../../../src/imports/types.ts";
import { dryRunNote, startNotes } from "../../../../src/commands/add-from/display/start-notes.ts";

const none: RunTotals = {
  rows: 0,
  added: 0,
  rejected: 0,
  unknown: 0,
  notSent: 0,
  earlier: 0,
  known: 0,
  changed: 0,
  invalid: 0,
};

describe("startNotes", () => {
  const state = {
    isFinished: false,
    isOtherKey: false,
    retryUnknown: false,
    addChanged: false,
  };

  it.each<[Partial<RunTotals>, Partial<typeof state>, string[]]>([
    [{}, {}, ["The input has no animals; nothing was sent."]],
    [{ rows: 6, notSent: 6 }, { isOtherKey: true }, []],
    [
      { rows: 6, notSent: 3, earlier: 2, rejected: 1 },
      { isOtherKey: true },
      [
        "An earlier run of this input used another key; it continues with this one.",
        "Resuming an earlier run: 3 of 6 animals done.",
      ],
    ],
    [
      { rows: 6, earlier: 6 },
      { isFinished: true },
      [
        "Already imported: all 6 animals were added; nothing was sent. Use --again to send all of them again.",
      ],
    ],
    [
      { rows: 6, earlier: 4, rejected: 1, unknown: 1 },
      { isFinished: true },
      [
        "Already imported: 4 of 6 animals were added; nothing was sent.",
        "1 animal may or may not have been added by an earlier run; it is not sent again.",
      ],
    ],
    [
      { rows: 6, earlier: 6 },
      { isFinished: true, isOtherKey: true },
      [
        "An earlier run of this input used another key.",
        "Already imported: all 6 animals were added; nothing was sent. Use --again to send all of them again.",
      ],
    ],
    [
      { rows: 1, earlier: 1 },
      { isFinished: true },
      ["Already imported: its animal was added; nothing was sent. Use --again to send it again."],
    ],
    [
      { rows: 1, rejected: 1 },
      { isFinished: true },
      [
        "Already imported: 0 of 1 animal was added; nothing was sent. Use --again to send it again.",
      ],
    ],
    [
      { rows: 6, earlier: 4, unknown: 2 },
      { isFinished: true, retryUnknown: true },
      [
        "Already imported: 4 of 6 animals were added.",
        "2 animals may or may not have been added by an earlier run; they are sent again (--retry-unknown).",
      ],
    ],
  ])("of %j and %j are %j", (totals, given, lines) => {
    expect(startNotes({ ...state, ...given, totals: { ...none, ...totals } })).toEqual(lines);
  });
});

it.each([
  [6, 6, "All rows are valid; 6 would be sent (dry run)."],
  [2, 6, "All rows are valid; 2 of 6 would be sent (dry run)."],
])("dryRunNote of %i of %i rows: %s", (wouldSend, rows, text) => {
  expect(dryRunNote(wouldSend, rows)).toBe(text);
});
