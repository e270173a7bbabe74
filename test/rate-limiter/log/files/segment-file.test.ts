import { appendFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { encodeLogRecord } from "../../../../src/rate-limiter/log/codec.ts";
import {
  maxSegmentBytes,
  SegmentFile,
} from "../../../../src/rate-limiter/log/files/segment-file.ts";
import { temporaryFolder } from "../../../support/program/program.ts";
import { fileOf } from "../../support/files.ts";
import { lost, record, release } from "../../support/records.ts";

const first = record([1, release("first")]);
const second = record([2, lost("second")]);

function makeFile() {
  const files = { folder: temporaryFolder(), name: "key" };
  return { file: new SegmentFile(files, 7), path: fileOf(files, 7), files };
}

function records(file: SegmentFile): readonly unknown[] {
  const lines = file.readLines(file.size() ?? 0);
  return lines.flatMap(({ line }) => (line !== undefined && "record" in line ? [line.record] : []));
}

describe("a file of a log", () => {
  it("is read once, as far as it was written", () => {
    const { file, path, files } = makeFile();
    expect([file.generation, file.sizeAtFirst, file.position, records(file)]).toEqual([
      7,
      0,
      0,
      [],
    ]);
    file.write(encodeLogRecord(first));
    expect(records(file)).toEqual([first]);
    appendFileSync(path, encodeLogRecord(second));
    expect([records(file), records(file)]).toEqual([[second], []]);
    expect(file.position).toBe((encodeLogRecord(first) + encodeLogRecord(second)).length);
    expect(new SegmentFile(files, 7).sizeAtFirst).toBe(file.position);
  });

  it("reads a record that is written in two pieces, wherever it is split", () => {
    const text = encodeLogRecord(first);
    for (let cut = 0; cut <= text.length; cut += 1) {
      const { file, path } = makeFile();
      appendFileSync(path, text.slice(0, cut));
      const before = records(file);
      appendFileSync(path, text.slice(cut) + encodeLogRecord(second));
      expect([...before, ...records(file)], `cut at ${cut}`).toEqual([first, second]);
    }
  });

  it("loses only the record whose end is never written", () => {
    const text = encodeLogRecord(first);
    for (let cut = 0; cut < text.length; cut += 1) {
      const { file, path } = makeFile();
      appendFileSync(path, text.slice(0, cut));
      const before = records(file);
      file.write(encodeLogRecord(second));
      expect([...before, ...records(file)], `cut at ${cut}`).toEqual([second]);
    }
  });

  it("is unusable once it was removed, truncated or overwritten", () => {
    const [removed, cut, regrown, filled] = [makeFile(), makeFile(), makeFile(), makeFile()];
    const all = [removed, cut, regrown, filled];
    for (const { file } of all) {
      file.write(encodeLogRecord(first));
      expect(records(file)).toEqual([first]);
    }
    truncateSync(filled.path, maxSegmentBytes);
    expect(all.map(({ file }) => file.size() !== undefined)).toEqual([true, true, true, true]);
    rmSync(removed.path);
    truncateSync(cut.path, 3);
    truncateSync(regrown.path, 5);
    appendFileSync(regrown.path, encodeLogRecord(second) + encodeLogRecord(second));
    expect(records(regrown.file)).toEqual([]);
    truncateSync(filled.path, maxSegmentBytes + 1);
    expect(all.map(({ file }) => file.size())).toEqual(all.map(() => undefined));
  });

  it("is opened only if it exists", () => {
    const { files, path } = makeFile();
    expect(SegmentFile.open(files, 7)?.generation).toBe(7);
    rmSync(path);
    expect(SegmentFile.open(files, 7)).toBeUndefined();
  });

  it("returns nothing if it contains something else", () => {
    const { file, path } = makeFile();
    writeFileSync(path, Buffer.from([0, 255, 10, 195, 40, 10, 91, 10, 93]));
    const lines = file.readLines(file.size() ?? 0);
    expect(lines.map(({ line }) => line)).toEqual([undefined, undefined, undefined, undefined]);
  });
});
