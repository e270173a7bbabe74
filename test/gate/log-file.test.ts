import { appendFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { recordLine } from "../../src/gate/line.ts";
import { hugeSize, LogFile } from "../../src/gate/log-file.ts";
import { temporaryFolder } from "../support/program.ts";
import { fileOf } from "./support/files.ts";
import { end, record, release } from "./support/records.ts";

const first = record([1, release("first")]);
const second = record([2, end("second")]);

function makeFile() {
  const files = { folder: temporaryFolder(), name: "key" };
  return { file: LogFile.make(files, 7), path: fileOf(files, 7), files };
}

const records = (file: LogFile): readonly unknown[] =>
  file
    .readLines()
    .flatMap(({ line }) => (line !== undefined && "record" in line ? [line.record] : []));

describe("a file of a log", () => {
  it("is read once, as far as it was written", () => {
    const { file, path } = makeFile();
    expect([file.generation, file.isEmpty(), records(file)]).toEqual([7, true, []]);
    file.write(recordLine(first));
    expect(records(file)).toEqual([first]);
    appendFileSync(path, recordLine(second));
    expect([records(file), records(file), file.isEmpty()]).toEqual([[second], [], false]);
    expect(file.size).toBe((recordLine(first) + recordLine(second)).length);
  });

  it("takes a record that comes in two pieces, wherever it is cut", () => {
    const text = recordLine(first);
    for (let cut = 0; cut <= text.length; cut += 1) {
      const { file, path } = makeFile();
      appendFileSync(path, text.slice(0, cut));
      const before = records(file);
      appendFileSync(path, text.slice(cut) + recordLine(second));
      expect([...before, ...records(file)], `cut at ${cut}`).toEqual([first, second]);
    }
  });

  it("loses only the record whose end never comes", () => {
    const text = recordLine(first);
    for (let cut = 0; cut < text.length; cut += 1) {
      const { file, path } = makeFile();
      appendFileSync(path, text.slice(0, cut));
      const before = records(file);
      file.write(recordLine(second));
      expect([...before, ...records(file)], `cut at ${cut}`).toEqual([second]);
    }
  });

  it("is damaged once it was removed, cut, or filled", () => {
    const removed = makeFile();
    rmSync(removed.path);
    const cut = makeFile();
    cut.file.write(recordLine(first));
    cut.file.readLines();
    const filled = makeFile();
    truncateSync(filled.path, hugeSize);
    expect([cut, filled].map(({ file }) => file.isDamaged())).toEqual([false, false]);
    truncateSync(cut.path, 3);
    truncateSync(filled.path, hugeSize + 1);
    expect([removed, cut, filled].map(({ file }) => file.isDamaged())).toEqual([true, true, true]);
  });

  it("is found only where it is", () => {
    const { files, path } = makeFile();
    expect(LogFile.find(files, 7)?.generation).toBe(7);
    rmSync(path);
    expect(LogFile.find(files, 7)).toBeUndefined();
  });

  it("holds no line that is none", () => {
    const { file, path } = makeFile();
    writeFileSync(path, Buffer.from([0, 255, 10, 195, 40, 10, 91, 10, 93]));
    expect(file.readLines().map(({ line }) => line)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
