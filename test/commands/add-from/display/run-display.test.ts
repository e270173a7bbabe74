import { describe, expect, it } from "vitest";
import type { RunState } from "../../../../src/commands/add-from/display/progress.ts";
import type { DisplayContext } from "../../../../src/commands/add-from/display/rows.ts";
import { openRunDisplay } from "../../../../src/commands/add-from/display/run-display.ts";
import type { RowOutcome } from "../../../../src/imports/types.ts";
import { coordinateTerminal } from "../../../../src/output/status-line.ts";
import type { Output } from "../../../../src/platform/io.ts";
import type { LimiterStatus } from "../../../../src/rate-limiter/rules/status.ts";
import { settingsWith } from "../../../config/support/settings.ts";
import {
  fakeClock,
  recordOutput,
  screenLines,
  widestLine,
} from "../../../support/command/terminal.ts";
import { added, rejected } from "./rows-ended.ts";

const never = new AbortController().signal;

type Changes = Partial<DisplayContext["settings"]> &
  Partial<Pick<DisplayContext, "env">> &
  Partial<Pick<RunState, "rows" | "left">>;

/** Opens the display of a run on a terminal of `columns` columns, or in pipes. */
function setUp({ rows = 600, left = rows, env = {}, ...changes }: Changes = {}, columns?: number) {
  const clock = fakeClock();
  const written: string[] = [];
  const record = (): Output => ({
    isTTY: columns !== undefined,
    columns,
    write: async (text) => void written.push(text),
  });
  const piped = { stdout: recordOutput(), stderr: recordOutput() };
  const streams =
    columns === undefined ? piped : coordinateTerminal({ stdout: record(), stderr: record() });
  const settings = settingsWith({ color: false, ...changes });
  const known: { status: Omit<LimiterStatus, "now"> } = { status: {} };
  const status = (): LimiterStatus => ({ now: clock.now(), ...known.status });
  const context = { ...streams, clock, env, settings };
  const run = { rows, left, limits: status, pace: {} };
  const open = async () => {
    const display = await openRunDisplay(context, run, never);
    const end = async (): Promise<void> => {
      await display.close(true);
      display.dispose();
    };
    return { ...display, end };
  };
  const lines = (): string[] => screenLines(written.join(""), columns);
  return { open, clock, known, lines, written, ...piped };
}

const limits = (clock: { now(): number }, remaining: number): Omit<LimiterStatus, "now"> => ({
  limit: 60,
  remaining,
  resetAt: clock.now() + 30_000,
  seenAt: clock.now(),
});

const addedRows = (count: number): RowOutcome[] =>
  Array.from({ length: count }, (_none, i) => added(i + 1, BigInt(i + 1)));

describe("a run on a terminal", () => {
  it.each([
    [80, "[------------------------------] 12/600 · 9 min left"],
    [60, "[------------------------------] 12/600 · 9 min left"],
    [40, "[---------------] 12/600 · 9 min left"],
    [20, "12/600"],
  ])("of %i columns shows its progress below its rows", async (columns, bar) => {
    const { open, clock, known, lines, written } = setUp({}, columns);
    known.status = limits(clock, 58);
    const display = await open();
    void display.report(rejected(7));
    for (const end of addedRows(11)) void display.report(end);
    await clock.sleep(300, never);
    const problem = "was rejected: the name is too long";
    expect(lines().join("")).toMatch(new RegExp(`${problem}.*`));
    expect(lines().at(-1)).toBe(bar);
    const drawn = written.filter((text) => text.includes("/600"));
    expect(drawn.length).toBeGreaterThan(1);
    for (const text of drawn)
      expect(widestLine(text.split("\n").at(-1) ?? "")).toBeLessThan(columns);
    await display.end();
    expect(lines().join("")).toMatch(new RegExp(`${problem}$`));
  });

  it("shows when the next rows are sent while it waits, and the rate afterwards", async () => {
    const { open, clock, lines, known } = setUp({}, 80);
    const display = await open();
    void display.report(added(1, 1n));
    const resetAt = clock.now() + 9000;
    known.status = {
      ...limits(clock, 0),
      resetAt,
      get condition() {
        return { reason: "used_up", limit: 60, ms: resetAt - clock.now() } as const;
      },
    };
    const what = "the limit of 60 requests is used up";
    const waited = display.wait({ reason: "limiter", what, ms: 9000, until: resetAt });
    await clock.sleep(3000, never);
    expect(lines().at(-1)).toMatch(/^\[#*-+\] 1\/600 · 10 min left · next 60 in [67] s$/);
    await waited;
    known.status = limits(clock, 60);
    await clock.sleep(400, never);
    expect(lines().at(-1)).toMatch(/^\[#*-+\] 1\/600 · \d+ (?:h|min).* left$/);
    await display.end();
    expect(lines()).toEqual([]);
  });

  it("never shows more time left while it waits", async () => {
    const { open, clock, known, lines } = setUp({ rows: 34 }, 120);
    const resetAt = clock.now() + 10_100;
    known.status = { limit: 60, remaining: 22, resetAt, seenAt: clock.now() };
    const display = await open();
    for (const end of addedRows(22)) {
      await clock.sleep(200, never);
      void display.report(end);
    }
    known.status = {
      ...known.status,
      remaining: 0,
      get condition() {
        return { reason: "used_up", limit: 60, ms: resetAt - clock.now() } as const;
      },
    };
    void display.wait({ reason: "limiter", what: "", ms: 9999, until: resetAt });
    const shown: (string | undefined)[] = [];
    for (let second = 0; second < 5; second++) {
      await clock.sleep(1000, never);
      shown.push(/(\d+) s left · next 12 in/.exec(lines().at(-1) ?? "")?.[1]);
    }
    expect(shown).toEqual(["8", "7", "6", "5", "4"]);
    await display.end();
  });

  it.each<[Changes]>([[{ quiet: true }], [{ env: { TERM: "dumb" } }]])(
    "has no bar with %j",
    async (changes) => {
      const { open, clock, written } = setUp(changes, 80);
      const display = await open();
      await clock.sleep(2000, never);
      expect(written).toEqual([]);
      await display.end();
    },
  );
});

it("-v prints the animals on a terminal too, above the bar", async () => {
  const { open, clock, lines } = setUp({ verbose: true }, 80);
  const display = await open();
  void display.report(added(1, 1n));
  await clock.sleep(300, never);
  expect(lines()).toEqual([
    "LINE    ID      NAME                  CATEGORY  STATUS",
    "1       1       Rex                   3",
    expect.stringMatching(/^\[-+\] 1\/600/),
  ]);
  await display.end();
});

describe("a run in a log", () => {
  it("prints its progress every 30 s", async () => {
    const { open, clock, stderr } = setUp();
    const display = await open();
    for (const end of addedRows(12)) void display.report(end);
    await clock.sleep(61_000, never);
    await display.end();
    expect(stderr.writes).toEqual(["12/600 · 25 min left\n", "12/600 · 1 h 5 min left\n"]);
  });

  it("counts the rows of earlier runs", async () => {
    const { open, clock, stderr } = setUp({ left: 60 });
    const display = await open();
    await clock.sleep(31_000, never);
    await display.end();
    expect(stderr.text).toBe("540/600\n");
  });

  it("prints nothing when quiet", async () => {
    const { open, clock, stderr, known } = setUp({ quiet: true });
    known.status = limits(clock, 3);
    const display = await open();
    await clock.sleep(61_000, never);
    await display.end();
    expect(stderr.text).toBe("");
  });
});

describe("the forecast", () => {
  it("is printed at the start if the limits are known", async () => {
    const { open, clock, known, stderr } = setUp();
    known.status = limits(clock, 3);
    const display = await open();
    for (const end of addedRows(3)) void display.report(end);
    await display.end();
    expect(stderr.text).toMatch(/^3 of 60 requests left; [^\n]*600 animals[^\n]*\n$/);
  });

  it("is printed after the first reply with limits otherwise", async () => {
    const { open, clock, known, stderr } = setUp();
    const display = await open();
    expect(stderr.text).toBe("");
    known.status = limits(clock, 59);
    for (const end of addedRows(3)) void display.report(end);
    await display.end();
    expect(stderr.text).toMatch(/^59 of 60 requests left; [^\n]*599 animals[^\n]*\n$/);
  });

  it("waits for the next window if this one is nearly over, and more than that one is needed", async () => {
    const { open, clock, known, stderr } = setUp();
    known.status = { ...limits(clock, 3), resetAt: clock.now() + 2000 };
    const display = await open();
    void display.report(added(1, 1n));
    expect(stderr.text).toBe("");
    known.status = { ...limits(clock, 57), resetAt: clock.now() + 5000, windowMs: 5000 };
    void display.report(added(2, 2n));
    await display.end();
    expect(stderr.text).toMatch(/^57 of 60 [^\n]* 598 animals take at least 50 s\.\n$/);
  });

  it("is not printed if all rows fit", async () => {
    const { open, clock, known, stderr } = setUp({ rows: 4 });
    known.status = limits(clock, 4);
    const display = await open();
    for (const end of addedRows(4)) void display.report(end);
    await display.end();
    expect(stderr.text).toBe("");
  });
});

describe("the rows", () => {
  it.each<[Changes, string]>([
    [
      {},
      "LINE    ID      NAME                  CATEGORY  STATUS\n1       1       Rex                   3\n",
    ],
    [{ quiet: true }, "1\n"],
    [
      { format: "json" },
      '{"line":1,"outcome":"added","pet":{"id":1,"name":"Rex","categoryId":3}}\n',
    ],
    [
      { format: "ndjson", quiet: true, formatAsked: true },
      '{"line":1,"outcome":"added","pet":{"id":1,"name":"Rex","categoryId":3}}\n',
    ],
    [
      { format: "tsv" },
      "line\toutcome\tid\tname\tcategoryId\tstatus\terror\n1\tadded\t1\tRex\t3\t\t\n",
    ],
  ])("with %j are %s", async (changes, text) => {
    const { open, stdout } = setUp(changes);
    const display = await open();
    void display.report(added(1, 1n));
    await display.end();
    expect(stdout.text).toBe(text);
  });

  it("are reported if they were rejected, even when quiet", async () => {
    const { open, stderr } = setUp({ quiet: true });
    const display = await open();
    void display.report(rejected(7));
    await display.end();
    expect(stderr.text).toBe("line 7: Rex (category 3) was rejected: the name is too long\n");
  });
});
