import { describe, expect, it } from "vitest";
import {
  nextCommand,
  runFailure,
  type RunKind,
  type RunTotals,
  startNote,
  summaryLines,
  totalsOf,
} from "../../../../src/commands/add-from/display/summary.ts";
import { Failure, type FailureKind } from "../../../../src/core/errors.ts";
import { makeRuntime } from "../../../support/command/runtime.ts";

const none: RunTotals = {
  rows: 0,
  added: 0,
  rejected: 0,
  unknown: 0,
  unsent: 0,
  earlier: 0,
  known: 0,
  changed: 0,
  invalid: 0,
};

it.each<[Partial<RunTotals>, boolean, string | undefined]>([
  [{}, false, "The input has no animals; nothing was sent."],
  [{ rows: 6, unsent: 6 }, false, undefined],
  [
    { rows: 6, unsent: 3, earlier: 2, rejected: 1 },
    false,
    "Resuming: 3 of 6 animals done earlier.",
  ],
  [{ rows: 6, unsent: 5, unknown: 1 }, false, "Resuming: 0 of 6 animals done earlier."],
  [{ rows: 6, earlier: 6 }, false, undefined],
  [{ rows: 6, earlier: 4, rejected: 1, unknown: 1 }, false, undefined],
  [{ rows: 6, earlier: 4, unknown: 2 }, true, "Resuming: 4 of 6 animals done earlier."],
])("a run of %j, with --retry-unknown %s, begins with: %s", (totals, retryUnknown, line) => {
  expect(startNote({ ...none, ...totals }, retryUnknown)).toBe(line);
});

const command = "pets add --from pets.csv";
const next = (...flags: readonly string[]) => [command, ...flags].join(" ");
const look = `To look up what is unknown: ${command} --check-unknown`;
const correct = "Correct the rejected rows, then send the file with `--only-new`.";

describe("the summary", () => {
  it.each<[RunKind, Partial<RunTotals>, string, string[]]>([
    ["sent", { rows: 1, added: 1 }, "Added 1 of 1 animal in 1 min 15 s.", []],
    [
      "sent",
      { rows: 5, added: 1, known: 3, changed: 1 },
      "Added 1 of 5 animals in 1 min 15 s; 3 skipped (added by earlier files), 1 skipped (changed since earlier files).",
      [],
    ],
    [
      "sent",
      { rows: 1200, added: 700, earlier: 200, unsent: 300 },
      "Added 700 of 1,200 animals in 1 min 15 s; 200 of 1,200 added earlier, 300 not sent.",
      [`To send the rest: ${command}`],
    ],
    [
      "sent",
      { rows: 9, added: 7, unknown: 1, unsent: 1 },
      "Added 7 of 9 animals in 1 min 15 s; 1 unknown, 1 not sent.",
      [
        `To send the rest: ${command}`,
        look,
        `To send it again (may create duplicates): ${command} --retry-unknown`,
      ],
    ],
    [
      "sent",
      { rows: 9, added: 6, rejected: 2, invalid: 1 },
      "Added 6 of 9 animals in 1 min 15 s; 2 rejected, 1 invalid.",
      [correct],
    ],
    [
      "checked",
      { rows: 9, earlier: 7, unknown: 2 },
      "Checked 9 animals: 7 added, 2 unknown.",
      [
        "2 animals may or may not be there: the lists do not show them.",
        `To send them again (may create duplicates): ${command} --retry-unknown`,
      ],
    ],
    ["nothing", { rows: 6, earlier: 6 }, "Nothing sent: 6 of 6 added earlier.", []],
    [
      "nothing",
      { rows: 9, earlier: 7, rejected: 1, unknown: 1 },
      "Nothing sent: 7 of 9 added earlier, 1 rejected, 1 unknown.",
      [look, `To send it again (may create duplicates): ${command} --retry-unknown`, correct],
    ],
  ])("of a run that %s, with %j", (kind, totals, first, steps) => {
    const all = { ...none, ...totals };
    expect(summaryLines(all, 75_000, kind, next)).toEqual([first, ...steps]);
    expect(summaryLines(all, 75_000, kind)).toEqual([first]);
  });
});

it.each([
  [["add", "--from", "my pets.csv", "--again"], false, "pets add --from 'my pets.csv' -q"],
  [["add", "--from", "--again", "--again"], false, "pets add --from --again -q"],
  [
    ["add", "--from=a.csv", "--retry-unknown", "--check-unknown"],
    false,
    "pets add --from=a.csv -q",
  ],
  [["--json", "add", "--from", "-"], true, "give the same input to pets --json add --from - -q"],
  [["add", "--from", "/dev/fd/63"], true, "give the same input to pets add --from - -q"],
  [["add", "--from=/proc/self/fd/9"], true, "give the same input to pets add --from=- -q"],
])("%j, read once: %s, is continued with %s", (argv, isReadOnce, text) => {
  expect(nextCommand({ argv, program: makeRuntime().runtime.program }, isReadOnce)("-q")).toBe(
    text,
  );
});

const stop = (error: unknown, totals: Partial<RunTotals>) =>
  runFailure({ ...none, rows: 9, ...totals }, { error });

describe("how a run ends", () => {
  it("is no failure if all rows were added, or left out", () => {
    const totals = { ...none, rows: 4, added: 1, earlier: 2, known: 1 };
    expect(runFailure(totals, undefined)).toBeUndefined();
  });

  it.each<[Partial<RunTotals>, string]>([
    [{ rows: 1, rejected: 1 }, "1 of 1 row was rejected"],
    [
      { rows: 6000, added: 5990, rejected: 5, unknown: 3, unsent: 2 },
      "5 of 6,000 rows were rejected, 3 have an unknown outcome, 2 were not sent",
    ],
  ])("%j is %s", (totals, message) => {
    const failure = runFailure({ ...none, ...totals }, undefined);
    const facts = { retryable: true };
    expect(failure).toMatchObject({ message, code: "partial", exitCode: 9, facts });
  });

  it("keeps what stopped it, but for what is true of one request only", () => {
    const message = "the limit of 1000 requests is used up; nothing was sent";
    const facts = { hints: ["a hint"], retryAt: 5, attempts: 1, retryable: false, code: "own" };
    const failure = stop(new Failure("rate_limited", message, facts), { added: 7, unsent: 2 });
    expect(failure).toMatchObject({
      message: "import stopped with 2 animals not sent: the limit of 1000 requests is used up",
      kind: "rate_limited",
      code: "own",
      hints: ["a hint"],
      facts: { retryAt: 5, retryable: true },
    });
    expect(failure).not.toHaveProperty("facts.attempts");
  });

  it.each<[FailureKind, boolean | undefined, boolean]>([
    ["io", false, false],
    ["io", undefined, true],
    ["service", false, true],
  ])("can be retried after it was stopped by %s (%s): %s", (kind, retryable, may) => {
    const reason = new Failure(kind, "no", retryable === undefined ? {} : { retryable });
    expect(stop(reason, {})).toMatchObject({
      message: "import stopped with every animal sent: no",
      facts: { retryable: may },
    });
  });

  it("is an internal error unchanged", () => {
    const error = new TypeError("oh");
    expect(stop(error, {})).toBe(error);
  });
});

it("counts what this run and earlier ones added, each row once", () => {
  const now = {
    ...none,
    rows: 31,
    unsent: 1,
    sent: 1,
    added: 14,
    rejected: 3,
    unknown: 5,
    known: 7,
  };
  const { earlier: _earlier, ...counts } = none;
  expect(totalsOf(now, { ...counts, sent: 0, added: 10 })).toEqual({
    ...none,
    rows: 31,
    added: 4,
    earlier: 10,
    rejected: 3,
    unknown: 6,
    unsent: 1,
    known: 7,
  });
});
