import { describe, expect, it } from "vitest";
import { waitFor } from "../../src/client/retry/wait.ts";
import type { ApiEvent, Wait } from "../../src/client/types.ts";
import { createWaitNotice } from "../../src/output/wait-notice.ts";
import { screenLines } from "../support/command/screen.ts";
import { type FakeClock, fakeClock, recordOutput } from "../support/command/terminal.ts";

type Planned = Omit<Wait, "until">;

const what = "the service responded with 429 Too Many Requests";
const wait = (ms: number): Planned => ({ what, ms });

const never = new AbortController().signal;

function setUp({ quiet = false, verbose = false, isTTY = false, clock = fakeClock() } = {}) {
  const stderr = recordOutput({ isTTY, columns: 60 });
  const controller = new AbortController();
  const { signal } = controller;
  const settings = { quiet, verbose };
  const notice = createWaitNotice({ stderr, clock, env: {}, settings });
  const onEvent = (event: ApiEvent): void => {
    if (event.type === "waiting" || event.type === "waited") notice(event);
  };
  const waiter = (planned: Planned, overAfter?: number): Promise<void> => {
    const isOver = (): boolean => overAfter !== undefined && clock.monotonic() >= overAfter;
    const early = overAfter === undefined ? undefined : { isOver, everyMs: 25 };
    return waitFor({ clock, signal, onEvent }, planned, early);
  };
  return { clock, stderr, controller, waiter };
}

describe("a wait in a log", () => {
  it("is reported at once, then every 30 s, and takes exactly its time", async () => {
    const { clock, stderr, waiter } = setUp();
    await waiter(wait(104_500));
    expect(clock.monotonic()).toBe(104_500);
    const end = `until 12:01:45: ${what}`;
    expect(stderr.writes).toEqual([
      `waiting 1 min 45 s, ${end}\n`,
      `still waiting 1 min 15 s, ${end}\n`,
      `still waiting 45 s, ${end}\n`,
      `still waiting 15 s, ${end}\n`,
    ]);
  });

  it.each([
    [1000, 0],
    [1001, 1],
    [30_000, 1],
    [0, 0],
  ])("of %i ms is reported in %i lines", async (ms, lines) => {
    const { clock, stderr, waiter } = setUp();
    await waiter(wait(ms));
    expect(clock.monotonic()).toBe(ms);
    expect(stderr.writes).toHaveLength(lines);
  });

  it("is reported with --verbose, however short, even while others wait", async () => {
    const { stderr, waiter } = setUp({ verbose: true, isTTY: true });
    await Promise.all([waiter(wait(250)), waiter(wait(300))]);
    expect(stderr.text).toMatch(/^waiting 250 ms, [^\n]*\nwaiting 300 ms, [^\n]*\n$/);
  });

  it("is escaped, and not reported when quiet", async () => {
    const { stderr, waiter } = setUp();
    await waiter({ ...wait(2000), what: "a\x1b\n" });
    expect(stderr.text).toMatch(/: a\\x1b\\n\n$/);
    const quiet = setUp({ quiet: true });
    await quiet.waiter(wait(90_000));
    expect([quiet.clock.monotonic(), quiet.stderr.text]).toEqual([90_000, ""]);
  });
});

/** Returns an open-ended wait. */
const open = (ms: number): Planned => ({ ...wait(ms), isOpenEnded: true });

describe("an open-ended wait", () => {
  it.each([
    [0, 0],
    [1, 25],
    [101, 125],
    [60_001, 60_000],
  ])("that is over after %i ms takes %i ms", async (ms, takes) => {
    const { clock, waiter } = setUp();
    await waiter(open(60_000), ms);
    expect(clock.monotonic()).toBe(takes);
  });

  it("is reported with its maximum", async () => {
    const { stderr, waiter } = setUp();
    await waiter(open(45_000), 5000);
    expect(stderr.text).toBe(`waiting at most 44 s, until 12:00:45: ${what}\n`);
  });

  it("counts down on a terminal once it has lasted a while, and leaves nothing", async () => {
    const { stderr, waiter } = setUp({ isTTY: true });
    await waiter(open(45_000), 3100);
    const shown = stderr.text.match(/at most \d+ s/g);
    expect(shown).toEqual(["at most 44 s", "at most 43 s", "at most 42 s"]);
    expect(await screenLines(stderr.text)).toEqual([]);
  });
});

describe("a wait on a terminal", () => {
  it("counts down in one line, and leaves nothing", async () => {
    const { clock, stderr, waiter } = setUp({ isTTY: true });
    await waiter(wait(3500));
    expect(clock.monotonic()).toBe(3500);
    const shown = await Promise.all(
      stderr.writes.map((_text, i) => screenLines(stderr.writes.slice(0, i + 1).join(""))),
    );
    const end = "s, until 12:00:04: the service responded with …";
    expect(shown).toEqual([...[4, 3, 2, 1].map((seconds) => [`waiting ${seconds} ${end}`]), []]);
  });

  it("is cleared when it is aborted, and rejects at once with the reason", async () => {
    const { clock, stderr, controller, waiter } = setUp({ isTTY: true });
    const waited = waiter(wait(60_000));
    const reason = new Error("interrupted");
    void clock.sleep(2500, never).then(() => controller.abort(reason));
    await expect(waited).rejects.toBe(reason);
    expect(clock.monotonic()).toBe(2500);
    expect(stderr.text).toContain("waiting 58 s");
    expect(await screenLines(stderr.text)).toEqual([]);
  });
});

describe("a wait", () => {
  it("is never shorter, even if timers are early and the clock jumps", async () => {
    const inner = fakeClock();
    const clock: FakeClock = {
      ...inner,
      sleep: async (ms, signal) => {
        inner.jump(3_600_000);
        await inner.sleep(Math.max(0.5, ms - 1), signal);
      },
    };
    const { waiter } = setUp({ clock });
    await waiter(wait(45_000));
    expect(clock.monotonic()).toBeGreaterThanOrEqual(45_000);
    expect(clock.monotonic()).toBeLessThan(45_001);
  });

  it("is reported once for all requests with the same wait, and again for a longer one", async () => {
    const { clock, stderr, waiter } = setUp();
    await Promise.all([20_000, 20_500, 24_000].map((ms) => waiter(wait(ms))));
    expect(stderr.writes).toHaveLength(1);
    expect(clock.monotonic()).toBe(24_000);
    await Promise.all([10_000, 20_000].map((ms) => waiter(wait(ms))));
    expect(stderr.writes).toHaveLength(3);
  });
});
