import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type NextCommand,
  nextCommand,
  runFailure,
  type RunTotals,
  startNote,
  summaryLines,
  totalsOf,
} from "../../../../src/commands/add-from/display/summary.ts";
import { Failure, type FailureKind } from "../../../../src/core/errors.ts";
import { shellCommand } from "../../../../src/core/shell-quote.ts";

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
const program = {
  version: "1",
  node: "",
  script: undefined,
  platform: "linux",
  nodeVersion: "",
} as const;
const command = (...argv: string[]): NextCommand => {
  const isReadOnce = argv.some((word) => /^(--from=)?(-|\/dev\/fd\/63)$/.test(word));
  return nextCommand({ argv, program }, isReadOnce);
};
const plain = command("add", "--from", "pets.csv");

const lookFirst = (words: string): string[] => [
  `To look up what is unknown: ${words} --check-unknown`,
];

describe("startNote", () => {
  const state = {
    isFinished: false,
    retryUnknown: false,
  };

  it.each<[Partial<RunTotals>, Partial<typeof state>, string | undefined]>([
    [{}, {}, "The input has no animals; nothing was sent."],
    [{}, { isFinished: true }, "The input has no animals; nothing was sent."],
    [{ rows: 6, unsent: 6 }, {}, undefined],
    [{ rows: 6, unsent: 3, earlier: 2, rejected: 1 }, {}, "Resuming: 3 of 6 animals done earlier."],
    [{ rows: 6, earlier: 6 }, { isFinished: true }, "Nothing sent: 6 of 6 added earlier."],
    [{ rows: 6, earlier: 4, rejected: 1, unknown: 1 }, { isFinished: true }, undefined],
    [{ rows: 1, earlier: 1 }, { isFinished: true }, "Nothing sent: 1 of 1 added earlier."],
    [
      { rows: 1, rejected: 1 },
      { isFinished: true },
      "Nothing sent: 1 rejected. Correct the rejected rows, then send the file with `--only-new`.",
    ],
    [
      { rows: 6, earlier: 4, unknown: 2 },
      { isFinished: true, retryUnknown: true },
      "Resuming: 4 of 6 animals done earlier.",
    ],
  ])("of %j and %j is %s", (totals, given, line) => {
    const { isFinished, ...rule } = { ...state, ...given };
    expect(startNote({ ...none, ...totals }, isFinished, rule)).toBe(line);
  });
});

describe("the summary", () => {
  it.each<[Partial<RunTotals>, NextCommand, string[]]>([
    [{ rows: 1, added: 1 }, plain, ["Added 1 of 1 animal in 1 min 15 s."]],
    [
      { rows: 4, added: 1, known: 3 },
      plain,
      ["Added 1 of 4 animals in 1 min 15 s; 3 skipped (added by earlier files)."],
    ],
    [
      { rows: 1, unsent: 1 },
      plain,
      [
        "Added 0 of 1 animal in 1 min 15 s; 1 not sent.",
        "To send the rest: pets add --from pets.csv",
      ],
    ],
    [
      { rows: 1200, added: 1000, earlier: 200 },
      plain,
      ["Added 1,000 of 1,200 animals in 1 min 15 s; 200 of 1,200 added earlier."],
    ],
    [
      { rows: 9, added: 3, earlier: 2, unsent: 4 },
      plain,
      [
        "Added 3 of 9 animals in 1 min 15 s; 2 of 9 added earlier, 4 not sent.",
        "To send the rest: pets add --from pets.csv",
      ],
    ],
    [
      { rows: 9, earlier: 8, unsent: 1 },
      command("--json", "add", "--again", "--from", "-"),
      [
        "Added 0 of 9 animals in 1 min 15 s; 8 of 9 added earlier, 1 not sent.",
        "To send the rest: give the same input to pets --json add --from -",
      ],
    ],
    [
      { rows: 9, earlier: 8, unsent: 1 },
      command("add", "--from", "/dev/fd/63", "-q"),
      [
        "Added 0 of 9 animals in 1 min 15 s; 8 of 9 added earlier, 1 not sent.",
        "To send the rest: give the same input to pets add --from - -q",
      ],
    ],
    [
      { rows: 1, unsent: 1 },
      command("add", "--from=/dev/fd/63"),
      [
        "Added 0 of 1 animal in 1 min 15 s; 1 not sent.",
        "To send the rest: give the same input to pets add --from=-",
      ],
    ],
    [
      { rows: 9, added: 8, unknown: 1 },
      command("add", "--from", "my pets.csv", "-o", "csv"),
      [
        "Added 8 of 9 animals in 1 min 15 s; 1 unknown.",
        ...lookFirst("pets add --from 'my pets.csv' -o csv"),
        "To send it again (may create duplicates): pets add --from 'my pets.csv' -o csv --retry-unknown",
      ],
    ],
    [
      { rows: 9, added: 7, unknown: 1, unsent: 1 },
      command("add", "--from=pets.csv", "--retry-unknown"),
      [
        "Added 7 of 9 animals in 1 min 15 s; 1 unknown, 1 not sent.",
        "To send the rest: pets add --from=pets.csv",
        ...lookFirst("pets add --from=pets.csv"),
        "To send it again (may create duplicates): pets add --from=pets.csv --retry-unknown",
      ],
    ],
    [
      { rows: 9, added: 7, rejected: 2 },
      plain,
      [
        "Added 7 of 9 animals in 1 min 15 s; 2 rejected.",
        "Correct the rejected rows, then send the file with `--only-new`.",
      ],
    ],
    [
      { rows: 2, added: 1, unsent: 1 },
      command("add", "--from", "--again", "--again"),
      [
        "Added 1 of 2 animals in 1 min 15 s; 1 not sent.",
        "To send the rest: pets add --from --again",
      ],
    ],
  ])("of %j", (totals, next, lines) => {
    const all = { ...none, ...totals };
    expect(summaryLines(all, 75_000, next, "sent")).toEqual(lines);
    expect(summaryLines(all, 75_000, undefined, "sent")).toEqual(lines.slice(0, 1));
  });
});

it("does not recommend --check-unknown again", () => {
  const totals = { ...none, rows: 9, earlier: 7, unknown: 2 };
  expect(summaryLines(totals, 1000, plain, "checked")).toEqual([
    "Checked 9 animals: 7 added, 2 unknown.",
    "2 animals may or may not be there: the lists do not show them.",
    "To send them again (may create duplicates): pets add --from pets.csv --retry-unknown",
  ]);
});

it("claims nothing if only unknown rows were reported again", () => {
  const totals = { ...none, rows: 9, earlier: 7, unknown: 2 };
  const [line] = summaryLines(totals, 1000, undefined, "nothing");
  expect(line).toBe("Nothing sent: 7 of 9 added earlier, 2 unknown.");
});

it("counts changed animals", () => {
  const totals = { ...none, rows: 3, added: 1, known: 1, changed: 1 };
  expect(summaryLines(totals, 1000, plain, "sent")).toEqual([
    "Added 1 of 3 animals in 1 s; 1 skipped (added by earlier files), 1 skipped (changed since earlier files).",
  ]);
});

describe("a command for the shell", () => {
  it.each<[string, string, string]>([
    ["a.csv", "linux", "a.csv"],
    ["", "linux", "''"],
    ["a b", "linux", "'a b'"],
    ["it's", "linux", "'it'\\''s'"],
    ["~/a;rm", "darwin", "'~/a;rm'"],
    ["a\nb1", "linux", "$'a\\012b1'"],
    ["a b", "win32", '"a b"'],
  ])("holds %j on %s as %s", (word, platform, text) => {
    expect(shellCommand([word], platform as NodeJS.Platform)).toBe(text);
  });

  it("keeps every word, and contains no invisible character", () => {
    const word = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: fc.constantFrom("\n", "\x1b", "'", "\\", "\u202e", "1", "é", "$", '"') }),
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        const given = words.map((text) => text.replaceAll("\0", ""));
        const text = shellCommand(given, "linux");
        expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
        const read = execFileSync("bash", ["-c", `printf '%s\\0' ${text}`], { encoding: "utf8" });
        expect(read.split("\0").slice(0, -1)).toEqual(given);
      }),
      { numRuns: 40 },
    );
  });
});

const stop = (error: unknown, totals: Partial<RunTotals>) =>
  runFailure({ ...none, rows: 9, ...totals }, { error });

describe("how a run ends", () => {
  it("is not a failure if all were added", () => {
    expect(runFailure({ ...none, rows: 4, added: 1, earlier: 2, known: 1 }, undefined)).toBe(
      undefined,
    );
  });

  it.each<[Partial<RunTotals>, string]>([
    [{ rows: 1, rejected: 1 }, "1 of 1 row was rejected"],
    [
      { rows: 6000, added: 5990, rejected: 5, unknown: 3, unsent: 2 },
      "5 of 6,000 rows were rejected, 3 have an unknown outcome, 2 were not sent",
    ],
  ])("%j is %s", (totals, message) => {
    const failure = runFailure({ ...none, ...totals }, undefined);
    expect(failure).toMatchObject({ message, code: "partial", exitCode: 9 });
    expect(failure).toMatchObject({ facts: { retryable: true } });
  });

  it.each<[FailureKind, string, string]>([
    [
      "rate_limited",
      "the limit of 1000 requests is used up; nothing was sent",
      "the limit of 1000 requests is used up",
    ],
    ["interrupted", "interrupted", "interrupted"],
  ])("keeps what stopped it: %s", (kind, message, told) => {
    const facts = { hints: ["a hint"], retryAt: 5, attempts: 1, retryable: false, code: "own" };
    const failure = stop(new Failure(kind, message, facts), { added: 7, unsent: 2 });
    expect(failure).toMatchObject({
      message: `import stopped with 2 animals not sent: ${told}`,
      kind,
      code: "own",
      hints: ["a hint"],
      facts: { retryAt: 5, retryable: true },
    });
    expect(failure).not.toHaveProperty("facts.attempts");
  });

  it("is an internal error unchanged", () => {
    const error = new TypeError("oh");
    expect(stop(error, {})).toBe(error);
  });
});

it.each<[FailureKind, boolean | undefined, boolean]>([
  ["io", false, false],
  ["io", undefined, true],
  ["service", false, true],
])("can be retried after it was stopped by %s (%s): %s", (kind, retryable, may) => {
  const reason = new Failure(kind, "no", retryable === undefined ? {} : { retryable });
  expect(stop(reason, {})).toMatchObject({ facts: { retryable: may } });
});

it("says that every animal was sent if a run was stopped after its last row", () => {
  const message = "import stopped with every animal sent: interrupted";
  expect(stop(new Failure("interrupted", "interrupted"), { added: 9 })).toMatchObject({ message });
});

describe("totalsOf", () => {
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
    expect(totalsOf(now, { ...none, sent: 0, added: 10, rejected: 3 })).toMatchObject({
      rows: 31,
      added: 4,
      earlier: 10,
      rejected: 3,
      unknown: 6,
      unsent: 1,
      known: 7,
      changed: 0,
      invalid: 0,
    });
  });
});
