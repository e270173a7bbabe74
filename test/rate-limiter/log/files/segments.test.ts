import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { encodeSnapshot } from "../../../../src/rate-limiter/log/codec.ts";
import { SegmentStore } from "../../../../src/rate-limiter/log/files/segments.ts";
import { emptyState, type LimiterState } from "../../../../src/rate-limiter/rules/state.ts";
import { addBlindly, fileOf, namesIn, newFiles, noon } from "../../support/files.ts";
import { record, reserve, stamp, stateOf } from "../../support/records.ts";

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
