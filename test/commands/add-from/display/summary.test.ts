import { describe, expect, it } from "vitest";
import {
  nextCommand,
  runFailure,
  type RunTotals,
  startNote,
  summaryLines,
  totalsOf,
} from "../../../../src/commands/add-from/display/summary.ts";
import { Failure, type FailureKind } from "../../../../src/core/errors.ts";
import { makeRuntime } from "../../../support/command/runtime.ts";

const counts = {
  rows: 6,
  added: 0,
  rejected: 0,
  unknown: 0,
  unsent: 0,
  known: 0,
  changed: 0,
  waiting: 0,
  repeated: 0,
};
const none: RunTotals = { ...counts, invalid: 0, earlier: 0, inDoubt: 0 };

// The transcripts have more of these lines.
it.each<[Partial<RunTotals>, string | undefined]>([
  [{ rows: 0 }, "The input has no animals; nothing was sent."],
  [{ unsent: 5, unknown: 1 }, undefined],
  [{ unsent: 5, known: 1 }, undefined],
  [{ earlier: 5, unknown: 1 }, undefined],
  [{ unsent: 3, earlier: 2, rejected: 1 }, "Resuming: 3 of 6 animals done earlier."],
])("a run of %j begins with: %s", (totals, line) => {
  expect(startNote({ ...none, ...totals })).toBe(line);
});

const command = "pets add --from pets.csv";
const next = (...flags: readonly string[]) => [command, ...flags].join(" ");

it("the summary counts how all rows ended, and says what may be done", () => {
  const ended = {
    unsent: 300,
    known: 3,
    changed: 1,
    rejected: 2,
    unknown: 1,
    invalid: 4,
    repeated: 5,
  };
  const all = { ...none, rows: 1200, added: 700, earlier: 200, ...ended };
  const first =
    "Added 700 of 1,200 animals in 1 min 15 s; 200 of 1,200 added earlier, 3 skipped (added by earlier files), " +
    "1 skipped (changed since earlier files), 2 rejected, 1 unknown, 300 not sent, 5 repeated, 4 invalid.";
  expect(summaryLines(all, 75_000, "sent", next)).toEqual([
    first,
    `To send the rest: ${command}`,
    `To look up what is unknown: ${command} --check-unknown`,
    `To send it again (may create duplicates): ${command} --retry-unknown`,
    `To get the rejected and invalid rows with their errors: ${command} --results results.csv`,
    "Correct the rejected and invalid rows in results.csv, then send it with `--only-new`.",
  ]);
  expect(summaryLines(all, 75_000, "sent")).toEqual([first]);
  expect(summaryLines({ ...none, invalid: 1 }, 75_000, "sent", next, "r.csv").at(-1)).toBe(
    "Correct the invalid rows in r.csv, then send it with `--only-new`.",
  );
});

it("the summary counts rows that are left to another import, which the same command sends later", () => {
  expect(summaryLines({ ...none, added: 4, waiting: 2 }, 1000, "sent", next)).toEqual([
    "Added 4 of 6 animals in 1 s; 2 left to another import.",
    `To send the rest: ${command}`,
  ]);
});

it("the summary of a look-up names what the lists do not show", () => {
  const checked = { ...none, earlier: 4, added: 1, inDoubt: 5, unknown: 2 };
  expect(summaryLines(checked, 1, "checked", next)).toEqual([
    "Checked 5 animals: 1 added, 2 not added, 2 unknown.",
    "2 animals may or may not be there: the lists do not show them.",
    `To send them again (may create duplicates): ${command} --retry-unknown`,
  ]);
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

it("the command that adds all a second time does not say --only-new as well", () => {
  const argv = ["add", "--from", "--only-new", "--only-new"];
  const again = nextCommand({ argv, program: makeRuntime().runtime.program }, false);
  expect(again("--again")).toBe("pets add --from --only-new --again");
});

const stop = (error: unknown, totals: Partial<RunTotals>) =>
  runFailure({ ...none, rows: 9, ...totals }, { error });

describe("how a run ends", () => {
  it("is no failure if all rows were added, or left out", () => {
    const totals = { ...none, rows: 4, added: 1, earlier: 2, known: 1 };
    expect(runFailure(totals, undefined)).toBeUndefined();
  });

  it.each<[Partial<RunTotals>, string]>([
    [{ rows: 1, unsent: 1, invalid: 1 }, "1 of 1 row was not sent, 1 is invalid"],
    [
      { rows: 6000, rejected: 5, unknown: 3, unsent: 2, invalid: 4 },
      "5 of 6,000 rows were rejected, 3 have an unknown outcome, 2 were not sent, 4 are invalid",
    ],
    [{ rows: 3, waiting: 1 }, "1 of 3 rows is left to another import"],
    [{ rows: 3, waiting: 2, unsent: 1 }, "2 of 3 rows are left to another import, 1 was not sent"],
  ])("%j is %s", (totals, message) => {
    const failure = runFailure({ ...none, ...totals }, undefined);
    const facts = { retryable: true };
    expect(failure).toMatchObject({ message, code: "partial", exitCode: 9, facts });
  });

  it.each<[Partial<RunTotals>, number]>([
    [{ unknown: 1 }, 8],
    [{ unknown: 2, known: 1, changed: 1 }, 8],
    [{ unknown: 1, rejected: 1 }, 9],
    [{ unknown: 1, unsent: 1 }, 9],
    [{ unknown: 1, invalid: 1 }, 9],
    [{ waiting: 1 }, 9],
  ])("with %j missing ends with %i", (totals, exitCode) => {
    const code = exitCode === 8 ? "outcome_unknown" : "partial";
    const failure = runFailure({ ...none, ...totals }, undefined);
    expect(failure).toMatchObject({ exitCode, code, facts: { retryable: true } });
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

  it("names the row whose response stopped it", () => {
    const row = { index: 5, line: 9, row: 7, pet: { name: "Bello", categoryId: 1n } };
    const error = new Failure("auth", "the key was refused", { status: 403 });
    expect(runFailure({ ...none, unsent: 2 }, { error, row })?.toString()).toContain(
      "import stopped with 2 animals not sent: line 9 (row 7, Bello): the key was refused",
    );
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
  const now = { ...counts, unsent: 1, rejected: 3, known: 7, invalid: 0, unknown: 5 };
  const before = { ...counts, unknown: 2, added: 10, invalid: 0 };
  const totals = { ...now, added: 4, earlier: 10, inDoubt: 2 };
  expect(totalsOf({ ...now, added: 14 }, before)).toEqual(totals);
});
