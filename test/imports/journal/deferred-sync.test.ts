import fs from "node:fs";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type Workload,
  isRateLimited,
  DeferredSync,
} from "../../../src/imports/journal/deferred-sync.ts";
import type { ObservedLimits } from "../../../src/rate-limiter/rules/records.ts";
import { newPlace, open } from "../support/journals.ts";

interface Synced {
  now: number;
  started: number;
  /** Ends the sync that was started last. */
  end: (error: Error | null) => void;
}

const synced = vi.hoisted((): Synced => ({ now: 0, started: 0, end: () => {} }));

// Only the sync to the disk is faked: everything else about the files is real.
vi.mock("node:fs", async (original) => ({
  ...(await original<typeof fs>()),
  fdatasyncSync: () => void (synced.now += 1),
  fdatasync: (_: number, end: (error: Error | null) => void) => {
    synced.started += 1;
    synced.end = end;
  },
}));

beforeEach(() => {
  Object.assign(synced, { now: 0, started: 0 });
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

/** Sends `count` rows; returns those that were synced before they were sent. */
function send(count: number, limits: ObservedLimits, before: (row: number) => void = () => {}) {
  const journal = open(newPlace(1000), { limits: () => limits });
  const syncs: number[] = [];
  for (let row = 0; row < count; row += 1) {
    before(row);
    const { now } = synced;
    journal.recordSend(row);
    if (synced.now > now) syncs.push(row);
  }
  return { journal, syncs };
}

describe("isRateLimited", () => {
  const load: Workload = { atStart: 600, left: 100 };

  it.each<readonly [boolean, string, ObservedLimits, Workload]>([
    [false, "no limits known", {}, load],
    [true, "a window that the run does not fit in", { limit: 60, remaining: 60 }, load],
    [true, "such a window with enough left", { limit: 599, remaining: 599 }, load],
    [false, "a window that it just fits in", { limit: 600, remaining: 100 }, load],
    [true, "less left than rows", { limit: 1000, remaining: 99 }, load],
    [true, "nothing left", { remaining: 0 }, load],
    [true, "a limit alone", { limit: 60 }, load],
    [false, "limits far above", { limit: 1_000_000, remaining: 999_999 }, load],
    [false, "nothing to send", { limit: 60, remaining: 0 }, { atStart: 0, left: 0 }],
  ])("%s: %s", (answer, _, limits, rows) => {
    expect(isRateLimited(limits, rows)).toBe(answer);
  });
});

describe("before a send, a journal syncs", () => {
  it("each send, if limits set the pace", () => {
    expect(send(200, { limit: 60, remaining: 60 }).syncs).toHaveLength(200);
  });

  it("the first sends, if no limits are known", () => {
    const { syncs } = send(200, {});
    expect(syncs).toEqual(Array.from({ length: 16 }, (_, row) => row));
  });

  it("each send once a limit is known, and after that window too", () => {
    const limits: { remaining?: number } = {};
    const { syncs } = send(200, limits, (row) => {
      if (row === 100) limits.remaining = 5;
      if (row === 120) limits.remaining = 100_000;
    });
    expect(syncs.filter((row) => row >= 16)).toEqual(
      Array.from({ length: 100 }, (_, n) => 100 + n),
    );
  });

  it("each send after a refusal, whatever the limits are", () => {
    const { journal } = send(100, {});
    journal.recordRefused(99);
    const { now } = synced;
    journal.recordSend(99);
    expect(synced.now).toBe(now + 1);
  });

  it("all records within a second, in the background, if nothing sets the pace", () => {
    const { journal } = send(17, {});
    const { now } = synced;
    vi.advanceTimersByTime(999);
    expect(synced.started).toBe(0);
    journal.recordOutcome(16, "unknown");
    vi.advanceTimersByTime(1);
    expect([synced.now, synced.started]).toEqual([now, 1]);
    vi.advanceTimersByTime(5000);
    expect(synced.started).toBe(1);
    journal.close();
  });

  it("the rest when it is closed", () => {
    const { journal } = send(17, {});
    const { now } = synced;
    journal.close();
    expect(synced.now).toBe(now + 1);
    vi.advanceTimersByTime(5000);
    expect(synced.started).toBe(0);
  });
});

describe("a sync in the background", () => {
  it("stops the run if it fails", () => {
    const journal = open(newPlace());
    journal.recordSend(0);
    journal.recordOutcome(0, "unknown");
    vi.advanceTimersByTime(1000);
    synced.end(new Error("EIO: i/o error, fdatasync"));
    const act = (): void => journal.recordSend(1);
    expect(act).toThrow(`the journal ${journal.file} can't be written: i/o error`);
  });

  it("keeps the file open until it is done", () => {
    const sync = new DeferredSync(0);
    sync.schedule();
    vi.advanceTimersByTime(1000);
    const close = vi.fn<() => void>();
    sync.close(close);
    expect(close).not.toHaveBeenCalled();
    synced.end(null);
    expect(close).toHaveBeenCalledOnce();
  });
});
