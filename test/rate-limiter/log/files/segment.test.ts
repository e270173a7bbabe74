import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { encodeLogRecord, encodeSnapshot } from "../../../../src/rate-limiter/log/codec.ts";
import { SegmentFile } from "../../../../src/rate-limiter/log/files/segment-file.ts";
import { Segment } from "../../../../src/rate-limiter/log/files/segment.ts";
import type { LimiterEvent } from "../../../../src/rate-limiter/rules/records.ts";
import { fileOf, newFiles, noon } from "../../support/files.ts";
import { record, reserve, stamp } from "../../support/records.ts";

const line = (event: LimiterEvent): string => encodeLogRecord(record([noon, event]));
const snapshot = (...events: LimiterEvent[]): string =>
  encodeSnapshot(events.map((event) => record([noon, event])));

/** Returns a segment to whose file others have written `text`. */
function segmentWith(text: string) {
  const files = newFiles();
  mkdirSync(files.folder, { recursive: true });
  const segment = new Segment(new SegmentFile(files, 1));
  onTestFinished(() => segment.file.close());
  const path = fileOf(files, 1);
  appendFileSync(path, text);
  const read = () => segment.readNew(stamp(noon));
  return { segment, path, read, permits: () => [...segment.state.permits.keys()] };
}

describe("a segment", () => {
  it("counts what is between its first snapshot and its first seal", () => {
    const { segment, read, permits } = segmentWith(
      [
        line(reserve("early")),
        snapshot(reserve("carried")),
        line(reserve("a")),
        snapshot(reserve("second")),
        line(reserve("b")),
        line({ kind: "seal" }),
        line(reserve("late")),
      ].join(""),
    );
    read();
    expect(permits()).toEqual(["carried", "a", "b"]);
    expect([segment.hasSnapshot, segment.sealed]).toEqual([true, true]);
  });

  it.each([
    ["alone", ""],
    ["behind a record of another process", line(reserve("other"))],
  ])("finds what this process has appended %s", (_name, before) => {
    const { segment, path, read, permits } = segmentWith(snapshot());
    read();
    appendFileSync(path, before);
    const records = [record([noon, reserve("a")]), record([noon, reserve("b")])];
    const text = records.map(encodeLogRecord).join("");
    segment.file.write(text);
    expect(segment.readNew(stamp(noon), text)).toBe(true);
    expect(permits()).toEqual(before === "" ? ["a", "b"] : ["other", "a", "b"]);
  });

  it("does not count what this process has appended after a seal", () => {
    const { segment, read, permits } = segmentWith(snapshot() + line({ kind: "seal" }));
    const text = encodeLogRecord(record([noon, reserve("a")]));
    segment.file.write(text);
    expect(segment.readNew(stamp(noon), text)).toBe(false);
    expect([permits(), read()]).toEqual([[], false]);
  });

  it("is full at 4 KiB, without its snapshot", () => {
    const big = Array.from({ length: 80 }, (_, n) => reserve(`carried${n}`));
    const { segment, path, read } = segmentWith(snapshot(...big));
    read();
    const before = segment.file.position;
    while (!segment.isFull) {
      appendFileSync(path, line({ kind: "release", id: "x" }));
      read();
    }
    expect(segment.file.position - before).toBeGreaterThan(4096);
    expect(segment.file.position - before).toBeLessThan(4200);
  });

  it("returns undefined once its file is removed", () => {
    const { path, read } = segmentWith(snapshot());
    read();
    rmSync(path);
    expect(read()).toBeUndefined();
  });
});
