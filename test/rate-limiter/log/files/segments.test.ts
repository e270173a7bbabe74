import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { encodeSnapshot } from "../../../../src/rate-limiter/log/codec.ts";
import { SegmentStore, snapshotRecords } from "../../../../src/rate-limiter/log/files/segments.ts";
import { emptyState, type LimiterState } from "../../../../src/rate-limiter/rules/state.ts";
import { addBlindly, fileOf, namesIn, newFiles, noon } from "../../support/files.ts";
import {
  lost,
  ok,
  probe,
  record,
  refused,
  reserve,
  stamp,
  stateOf,
} from "../../support/records.ts";

/** Returns a store of segments in a folder with these files, by generation. */
function storeWith(contents: Readonly<Record<number, string>>) {
  const files = newFiles();
  mkdirSync(files.folder, { recursive: true });
  for (const [generation, text] of Object.entries(contents)) {
    writeFileSync(fileOf(files, Number(generation)), text);
  }
  const segments = new SegmentStore(files, () => stamp(noon));
  const openActive = (state: LimiterState = emptyState(), upTo = 0, after = 0) => {
    const segment = segments.openActive({ state, upTo }, after);
    const { generation } = segment.file;
    segment.file.close();
    return { generation, permits: [...segment.state.permits.keys()] };
  };
  return { files, openActive };
}

const snapshot = (id: string): string => encodeSnapshot([record([noon, reserve(id)])]);

describe("openActive", () => {
  it("creates the first segment from the given state", () => {
    const { openActive } = storeWith({});
    const state = stateOf([[noon, reserve("a")]], noon);
    expect(openActive(state)).toEqual({ generation: 1, permits: ["a"] });
  });

  it("opens the latest segment with a snapshot, and skips a later one without", () => {
    const { openActive } = storeWith({ 3: snapshot("a"), 4: snapshot("b"), 5: '\n["beg' });
    expect(openActive()).toEqual({ generation: 4, permits: ["b"] });
  });

  it("creates the next segment from a sealed one, and removes those before that", () => {
    const { files, openActive } = storeWith({ 2: snapshot("old"), 3: snapshot("a") });
    addBlindly(files, 3, { kind: "seal" });
    expect(openActive()).toEqual({ generation: 4, permits: ["a"] });
    expect(namesIn(files)).toEqual(["key.3", "key.4"]);
  });

  it("prefers the given state to a sealed segment that is older", () => {
    const { files, openActive } = storeWith({ 3: snapshot("a") });
    addBlindly(files, 3, { kind: "seal" });
    const state = stateOf([[noon, reserve("newer")]], noon);
    expect(openActive(state, 9)).toEqual({ generation: 4, permits: ["newer"] });
  });

  it("ignores segments up to the given one", () => {
    const { openActive } = storeWith({ 3: snapshot("a") });
    expect(openActive(emptyState(), 3, 3)).toEqual({ generation: 4, permits: [] });
  });
});

describe("snapshotRecords", () => {
  const now = 5000;
  const snapshotOf = (state: LimiterState) =>
    stateOf(
      snapshotRecords(state, stamp(now)).map(({ stamp: { uptime }, event }) => [uptime, event]),
      now,
    );

  it("recreates permits in order, limits, the back-off and uncounted requests", () => {
    const state = stateOf(
      [
        [1000, reserve("before")],
        [1000, reserve("x")],
        [1100, ok("x", 7)],
        [1200, reserve("y")],
        [1300, lost("y")],
        [1400, reserve("z")],
        [2000, refused("z", 1000)],
        [3500, probe("after")],
      ],
      now,
    );
    const copy = snapshotOf(state);
    expect([...copy.permits.values()]).toEqual([...state.permits.values()]);
    expect(copy.permits.get("after")).toMatchObject({ probe: true, afterBackoff: true });
    expect([copy.windows, copy.lastObserved]).toEqual([state.windows, state.lastObserved]);
    expect([copy.strikes, copy.uncounted]).toEqual([state.strikes, state.uncounted]);
    expect(copy.backoff?.status).toBe(429);
    expect(copy.backoff?.until).toBeLessThanOrEqual(now);
  });

  it("keeps the last 100 permits, and counts the earlier ones as sent", () => {
    const events = Array.from({ length: 130 }, (_, n) => [1000, reserve(`r${n}`)] as const);
    const copy = snapshotOf(stateOf(events, now));
    expect([copy.permits.size, copy.uncounted.count]).toEqual([100, 30]);
    expect([copy.permits.has("r29"), copy.permits.has("r30")]).toEqual([false, true]);
  });
});
