import { describe, expect, it } from "vitest";
import type { Wait } from "../../../../src/client/types.ts";
import {
  openRunDisplay,
  progressLine,
  type RunState,
  withBar,
} from "../../../../src/commands/add-from/display/progress.ts";
import type { DisplayContext } from "../../../../src/commands/add-from/display/rows.ts";
import { Secrets } from "../../../../src/core/secrets.ts";
import { coordinateTerminal } from "../../../../src/output/status-line.ts";
import type { Output } from "../../../../src/platform/io.ts";
import type { LimiterStatus } from "../../../../src/rate-limiter/rules/status.ts";
import { settingsWith } from "../../../config/support/settings.ts";
import { screenLines } from "../../../support/command/screen.ts";
import { fakeClock, recordOutput, widestLine } from "../../../support/command/terminal.ts";
import { added, rejected } from "./rows-ended.ts";

const never = new AbortController().signal;

const runOf = (changes: Partial<RunState>): RunState => ({
  rows: 44,
  left: 25,
  done: 0,
  startedAt: 0,
  waits: new Set(),
  limits: () => ({ now: 0 }),
  pace: {},
  ...changes,
});
const limited = (resetAt: number) => ({
  limits: () => ({ now: 0, seenAt: 0, limit: 20, remaining: 0, resetAt }),
});

describe("the words of the progress", () => {
  it.each<[string, Partial<RunState>, number, string]>([
    ["nothing", {}, 5000, "19/44"],
    ["the rows done", { done: 20 }, 2000, "19/44 · 3 s left"],
    ["a window", { done: 20, ...limited(3000) }, 1000, "19/44 · 5 s left"],
    ["windows of a minute", limited(30_000), 1000, "19/44 · 2 min left"],
    ["--rate", { pace: { rate: 1000 } }, 1000, "19/44 · 24 s left"],
    ["that nothing is left", { left: 0, done: 44 }, 1000, "44/44"],
    ["a minute, rounded up", { done: 25 }, 59_001, "19/44 · 1 min left"],
    ["hours", { done: 25 }, 5 * 3_600_000 + 61_000, "19/44 · 5 h 2 min left"],
    ["days", { done: 25 }, 100 * 3_600_000, "19/44 · 4 d 4 h left"],
  ])("by %s", (_what, changes, now, text) => {
    expect(progressLine(runOf(changes), now)).toBe(text);
  });
});

/** Returns the status of an exhausted limit of 600. */
const usedUp = (more: object = {}): LimiterStatus => ({
  now: 0,
  limit: 600,
  remaining: 0,
  resetAt: 9000,
  condition: { reason: "used_up", limit: 600, ms: 9000, ...more },
});

/** Returns a wait that ends in `ms`; what is shown has the clock at 0. */
const waitOf = (ms: number, changes: Partial<Wait> = {}): Wait => ({
  what: "trouble",
  isForLimiter: true,
  ms: 9000,
  until: ms,
  ...changes,
});

describe("the words of a wait", () => {
  it.each<[string, LimiterStatus, Partial<RunState>, Wait[], string]>([
    ["a window", usedUp(), {}, [waitOf(9000)], "next 600 in 9 s"],
    ["all that are left", usedUp(), { left: 300 }, [waitOf(9000)], "next 300 in 9 s"],
    ["the share of others", usedUp({ reserved: 30 }), {}, [waitOf(9000)], "next 30 in 9 s"],
    ["a part of it", usedUp({ reserved: 30 }), { left: 7 }, [waitOf(9000)], "next 7 in 9 s"],
    ["an unknown number of rows", { now: 0 }, {}, [waitOf(9000)], "next in 9 s"],
    ["a reserve", usedUp(), { pace: { reserve: 20 } }, [waitOf(9000)], "next in 9 s"],
    ["a wait that has just ended", usedUp(), {}, [waitOf(0)], "next 600 in 1 s"],
    [
      "the first of several, and why",
      usedUp(),
      {},
      [waitOf(9000), waitOf(5000, { isForLimiter: false }), waitOf(100, { ms: 1000 })],
      "next in 5 s · trouble",
    ],
  ])("by %s", (_what, status, changes, waits, text) => {
    const run = runOf({ rows: 2000, left: 2000, limits: () => status, ...changes });
    expect(progressLine({ ...run, waits: new Set(waits) }, 0)).toMatch(new RegExp(` · ${text}$`));
  });

  it("have nothing of short and open-ended waits", () => {
    const waits = new Set([waitOf(900, { ms: 1000 }), waitOf(9000, { isOpenEnded: true })]);
    expect(progressLine(runOf({ waits }), 0)).toBe("19/44");
  });
});

describe("withBar", () => {
  const half = { rows: 600, left: 300 };
  it.each<[Pick<RunState, "rows" | "left">, number, string]>([
    [half, 97, "[###############---------------] words"],
    [half, 30, "[###########-----------] words"],
    [half, 5, "[##--] words"],
    [{ rows: 3, left: 3 }, 18, "[----------] words"],
    [{ rows: 3, left: 0 }, 18, "[##########] words"],
    [{ rows: 0, left: 0 }, 18, "[##########] words"],
  ])("of %j in %i columns is %s", (run, room, text) => {
    expect(withBar("words", run, room)).toBe(text);
  });
});

/** The status of the limits but for the time; `resetAt` and `seenAt` are ms from the start of the run. */
type Known = Omit<LimiterStatus, "now">;

type Changes = Partial<DisplayContext["settings"]> &
  Partial<Pick<DisplayContext, "env">> &
  Partial<Pick<RunState, "rows">> & { readonly known?: Known };

const start = fakeClock().now();

/** Opens the display of a run on a terminal of `columns` columns, or in pipes. */
async function startRun(
  { rows = 600, env = {}, known = {}, ...changes }: Changes = {},
  columns?: number,
) {
  const clock = fakeClock(start);
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
  const run = { known, clock, written, ...piped };
  const limits = (): LimiterStatus => ({ now: clock.now(), ...run.known });
  const context = { ...streams, clock, env, settings, secrets: new Secrets() };
  const shown = { rows, left: rows, limits, pace: {} };
  const display = await openRunDisplay(context, shown);
  return Object.assign(run, {
    ...display,
    end: () => display.close(true),
    add: (count: number): void => {
      for (let line = 1; line <= count; line += 1) void display.report(added(line, BigInt(line)));
    },
    lines: (): Promise<string[]> => screenLines(written.join(""), columns),
  });
}

/** Returns a status with so many requests left of 60, as it is seen `at` so many ms from the start. */
const limits = (remaining: number, at = 0, resetIn = 30_000): Known => ({
  limit: 60,
  remaining,
  resetAt: start + at + resetIn,
  seenAt: start + at,
});

describe("a run on a terminal", () => {
  it("shows its progress below its rows, and clears it", async () => {
    const run = await startRun({ known: limits(58) }, 40);
    void run.report(rejected(7));
    run.add(11);
    await run.clock.sleep(300, never);
    const problem = "name is too long";
    expect((await run.lines()).join("")).toContain(problem);
    expect((await run.lines()).at(-1)).toBe("[---------------] 12/600 · 9 min left");
    const drawn = run.written.filter((text) => text.includes("/600"));
    expect(drawn.length).toBeGreaterThan(1);
    for (const text of drawn) expect(widestLine(text.split("\n").at(-1) ?? "")).toBeLessThan(40);
    await run.end();
    expect((await run.lines()).join("")).toMatch(new RegExp(`${problem}$`));
  });

  it("never shows more time left while it waits", async () => {
    const run = await startRun({ rows: 34, known: limits(22, 0, 10_100) }, 120);
    const { clock } = run;
    const until = start + 10_100;
    for (let row = 0; row < 22; row += 1) {
      await clock.sleep(200, never);
      run.add(1);
    }
    run.known = {
      ...limits(0, 0, 10_100),
      get condition() {
        return { reason: "used_up", limit: 60, ms: until - clock.now() } as const;
      },
    };
    const wait = { what: "", isForLimiter: true, ms: 9999, until };
    expect(run.onEvent({ type: "waiting", wait })).toBe(true);
    const shown: Promise<string[]>[] = [];
    for (let second = 0; second < 5; second++) {
      await clock.sleep(1000, never);
      shown.push(run.lines());
    }
    const left = (await Promise.all(shown)).map(
      (each) => /\d+(?= s left · next 12 in)/.exec(each.at(-1) ?? "")?.[0],
    );
    expect(left).toEqual(["6", "6", "6", "6", "6"]);
    expect(run.onEvent({ type: "waited", wait })).toBe(true);
    await run.end();
  });

  it.each<[Changes]>([[{ quiet: true }], [{ env: { TERM: "dumb" } }]])(
    "has no bar with %j",
    async (changes) => {
      const { clock, written, end } = await startRun(changes, 80);
      await clock.sleep(2000, never);
      expect(written).toEqual([]);
      await end();
    },
  );
});

it("-v prints the animals on a terminal too, above the bar", async () => {
  const { add, end, clock, lines } = await startRun({ verbose: true }, 80);
  add(1);
  await clock.sleep(300, never);
  expect(await lines()).toEqual([
    "LINE    ID      NAME                  CATEGORY  STATUS",
    "1       1       Rex                   3",
    expect.stringMatching(/^\[-+\] 1\/600/),
  ]);
  await end();
});

it.each<[Changes, string[]]>([
  [{}, ["24/600 · 12 min left\n", "24/600 · 24 min left\n"]],
  [{ quiet: true, known: limits(3) }, []],
])("a run in a log with %j prints its progress every 30 s: %j", async (changes, writes) => {
  const { add, end, clock, stderr } = await startRun(changes);
  add(24);
  await clock.sleep(61_000, never);
  await end();
  expect(stderr.writes).toEqual(writes);
});

describe("the forecast", () => {
  it.each<[number, RegExp]>([
    [600, /^3 of 60 requests left; [^\n]*600 animals[^\n]*\n$/],
    [3, /^$/],
  ])(
    "of %i rows is printed at the start if the limits are known, and not all fit",
    async (rows, text) => {
      const { add, end, stderr } = await startRun({ rows, known: limits(3) });
      add(3);
      await end();
      expect(stderr.text).toMatch(text);
    },
  );

  it("is printed after the first reply with limits otherwise", async () => {
    const run = await startRun();
    expect(run.stderr.text).toBe("");
    run.known = limits(59);
    await run.clock.sleep(1000, never);
    run.add(3);
    await run.end();
    expect(run.stderr.text).toMatch(/^59 of 60 requests left; [^\n]*599 animals[^\n]*\n$/);
  });

  it("waits for the next window if this one is nearly over, and more than that one is needed", async () => {
    const run = await startRun({ known: limits(3, 0, 2000) });
    run.add(1);
    expect(run.stderr.text).toBe("");
    await run.clock.sleep(1000, never);
    run.known = { ...limits(57, 1000, 5000), windowMs: 5000 };
    run.add(1);
    await run.end();
    expect(run.stderr.text).toMatch(/^57 of 60 [^\n]* 598 animals take at least 50 s\.\n$/);
  });
});
