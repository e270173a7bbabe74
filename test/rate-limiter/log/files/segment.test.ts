import { appendFileSync, mkdirSync, rmSync, truncateSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { encodeLogRecord, encodeSnapshot } from "../../../../src/rate-limiter/log/codec.ts";
import { createFlags, Segment } from "../../../../src/rate-limiter/log/files/segment.ts";
import type { LimiterEvent } from "../../../../src/rate-limiter/rules/records.ts";
import { fileOf, newFiles, noon } from "../../support/files.ts";
import { record, release, reserve, stamp } from "../../support/records.ts";

const line = (event: LimiterEvent): string => encodeLogRecord(record([noon, event]));
const snapshot = (...events: LimiterEvent[]): string =>
  encodeSnapshot(events.map((event) => record([noon, event])));

/** Returns a segment to whose file others have then written `text`. */
function segmentWith(text: string) {
  const files = newFiles();
  mkdirSync(files.folder, { recursive: true });
  const segment = new Segment(files, 1, () => stamp(noon), createFlags);
  onTestFinished(() => segment.close());
  const path = fileOf(files, 1);
  appendFileSync(path, text);
  return { segment, path, permits: () => [...segment.state.permits.keys()] };
}

describe("a segment", () => {
  it("counts what is between its first snapshot and its first seal", () => {
    const { segment, permits } = segmentWith(
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
    segment.read();
    expect(permits()).toEqual(["carried", "a", "b"]);
    expect([segment.hasSnapshot, segment.sealed]).toEqual([true, true]);
  });

  it.each([
    ["alone", "", ["a"], true],
    ["behind a record of another process", line(reserve("other")), ["other", "a"], true],
    ["after a seal", line({ kind: "seal" }), [], false],
  ])("finds what this process has appended %s", (_name, before, permits, counts) => {
    const { segment, path, ...found } = segmentWith(snapshot());
    segment.read();
    appendFileSync(path, before);
    const text = line(reserve("a"));
    segment.write(text);
    expect(segment.read(text)).toBe(counts);
    expect([found.permits(), segment.read()]).toEqual([permits, false]);
  });

  it("reads a record that is written in two pieces, and loses only one whose end is never written", () => {
    const text = line(reserve("a"));
    for (let cut = 0; cut <= text.length; cut += 1) {
      const [split, torn] = [segmentWith(snapshot()), segmentWith(snapshot())];
      for (const { segment, path } of [split, torn]) {
        appendFileSync(path, text.slice(0, cut));
        segment.read();
      }
      appendFileSync(split.path, text.slice(cut));
      for (const { segment } of [split, torn]) {
        segment.write(line(reserve("b")));
        segment.read();
      }
      expect(split.permits(), `cut at ${cut}`).toEqual(["a", "b"]);
      expect(torn.permits(), `cut at ${cut}`).toEqual(cut === text.length ? ["a", "b"] : ["b"]);
    }
  });

  it("is full at 4 KiB, without its snapshot", () => {
    const carried = snapshot(...Array.from({ length: 80 }, (_, n) => reserve(`carried${n}`)));
    const { segment, path } = segmentWith(carried);
    segment.read();
    let added = 0;
    while (!segment.isFull) {
      const text = line(release("x"));
      added += text.length;
      appendFileSync(path, text);
      segment.read();
    }
    expect(added).toBeGreaterThan(4000);
    expect(added).toBeLessThan(4200);
  });

  it("fails once its file is too large", () => {
    const { segment, path } = segmentWith(snapshot());
    truncateSync(path, 20_000_000_000);
    expect(() => segment.read()).toThrow("is too large");
  });

  it("is read to its seal even if it was removed", () => {
    const { segment, path, permits } = segmentWith(snapshot());
    segment.read();
    appendFileSync(path, line(reserve("a")) + line({ kind: "seal" }));
    rmSync(path);
    segment.read();
    expect([segment.sealed, permits()]).toEqual([true, ["a"]]);
  });

  it("may be removed before its snapshot, as one that others had already passed", () => {
    const { segment, path } = segmentWith("");
    rmSync(path);
    segment.read();
    expect(segment.hasSnapshot).toBe(false);
  });

  it("fails if it is removed while it is the latest", () => {
    const { segment, path } = segmentWith(snapshot());
    rmSync(path);
    expect(() => segment.read()).toThrow("was removed");
  });
});
