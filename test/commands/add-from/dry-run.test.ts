import { describe, expect, it } from "vitest";
import { dryRun, dryRunNote } from "../../../src/commands/add-from/dry-run.ts";
import { fileOf } from "../../imports/support/input.ts";
import { runHere } from "../../support/command/world.ts";
import { openInput } from "./open-input.ts";

describe("dryRun", () => {
  it("prints every row if there is no earlier run", async () => {
    const { context, options, input, stdout, notes } = await openInput();
    await dryRun(context, options, input);
    input[Symbol.dispose]();
    expect(stdout.text).toMatch(/^LINE +NAME +CATEGORY +STATUS\n1 +Rex +3\n2 +日本 +12\n$/);
    expect(notes).toEqual([
      "All rows are valid; 2 would be sent (dry run).",
      "No time estimate: the rate limits are not known yet. Run `pets limits --refresh --profile x` to get them.",
    ]);
  });

  it("says how long the remaining rows take at the known limits", async () => {
    const limits = { now: 0, seenAt: 0, limit: 1, remaining: 0, resetAt: 10_000 };
    const { context, options, input, stdout, notes } = await openInput("csv", {}, limits);
    await dryRun(context, options, input);
    input[Symbol.dispose]();
    expect(stdout.text).toBe("name,categoryId,status\r\nRex,3,\r\n日本,12,\r\n");
    expect(notes[1]).toMatch(
      /^0 of 1 request left; resets at .* 2 animals take at least 1 min 10 s\.$/,
    );
  });
});

it.each([
  [6, 6, 0, "All rows are valid; 6 would be sent (dry run)."],
  [2, 6, 0, "All rows are valid; 2 of 6 would be sent (dry run)."],
  [1, 4, 3, "1 row is valid; 1 of 4 would be sent (dry run)."],
  [2, 4, 2, "2 rows are valid; 2 of 4 would be sent (dry run)."],
])("dryRunNote of %i of %i rows, %i invalid: %s", (wouldSend, rows, invalid, text) => {
  expect(dryRunNote(wouldSend, rows, invalid)).toBe(text);
});

it("begins no line with a name, which a log may read as a command", async () => {
  const name = "::error title=x::y";
  const file = fileOf(`name,category\n${`${name},1\n`.repeat(2)}${name},x\n`);
  const { stdout, stderr } = await runHere(
    ["add", "--from", file, "--dry-run", "--skip-invalid"],
    {},
  );
  expect(stdout).toContain(name);
  expect(stderr).toContain(name);
  expect(stdout + stderr).not.toMatch(/^\s*::/m);
});

it.each([
  [[], "1 row equals an earlier row of this input; sending all of them."],
  [["--only-new"], "1 row equals an earlier row of this input."],
])("says that equal rows are sent only if they are, with %j", async (flags, note) => {
  const file = fileOf("name,category\nRex,1\nRex,1\n");
  const { stderr } = await runHere(["add", "--from", file, "--dry-run", ...flags], {});
  expect(stderr.split("\n")).toContain(note);
});
