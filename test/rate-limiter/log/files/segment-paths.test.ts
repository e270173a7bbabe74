import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  generations,
  logName,
  pruneStale,
} from "../../../../src/rate-limiter/log/files/segment-paths.ts";
import { temporaryFolder } from "../../../support/program/program.ts";
import { fileOf, newFiles, openLog } from "../../support/files.ts";

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

it("the log of another key or origin has another name", () => {
  const named = [
    ["a", "k"],
    ["a", "l"],
    ["b", "k"],
    ["a", "k"],
  ] as const;
  const names = named.map(([origin, key]) => logName(origin, key));
  expect(new Set(names).size).toBe(3);
  expect(names.join("")).toMatch(/^[\da-f]{128}$/);
});

describe("the files of a log", () => {
  it("get a narrower mode if others can read them, and so does their folder", () => {
    const files = newFiles();
    openLog(files);
    chmodSync(files.folder, 0o755);
    chmodSync(fileOf(files, 1), 0o644);
    openLog(files);
    expect([modeOf(files.folder), modeOf(fileOf(files, 1))]).toEqual(["700", "600"]);
  });

  it("are recognised by name, and ordered by number", () => {
    const files = { folder: temporaryFolder(), name: "key" };
    const own = ["key.10", "key.9", "key.1"];
    const foreign = ["key", "key.", "key.0", "key.-1", "key.07", "key.1e3", "key.0x1", "key.1.5"];
    const others = ["keys.3", "other.4", "akey.5", "key.2.tmp", "key.1234567890", "key. 6"];
    for (const name of [...own, ...foreign, ...others]) {
      writeFileSync(path.join(files.folder, name), "");
    }
    expect(generations(files)).toEqual([1, 9, 10]);
  });
});

describe("what is not a file", () => {
  /** What is in place of the first generation, and the message about it. */
  const things: readonly (readonly [string, (file: string) => unknown, string])[] = [
    ["a folder", (file) => mkdirSync(file), "EISDIR"],
    ["a link", (file) => symlinkSync("elsewhere", file), "ELOOP"],
    ["a FIFO", (file) => execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", file]), "is not a file"],
    ["a link to a device", (file) => symlinkSync("/dev/null", file), "ELOOP"],
  ];

  it.each(things)("as %s is not used", (_what, make, message) => {
    const files = { folder: temporaryFolder(), name: "key" };
    make(fileOf(files, 1));
    expect(() => openLog(files)).toThrow(message);
    expect(readdirSync(files.folder)).toEqual(["key.1"]);
  });
});

describe("files that nobody needs", () => {
  const day = 24 * 60 * 60_000;
  const now = Date.now();

  function aged(file: string, days: number): void {
    writeFileSync(file, "x");
    utimesSync(file, new Date(now), new Date(now - days * day));
  }

  it("are removed if they were not touched for two days, but not its own: the clock may have jumped", () => {
    const files = { folder: temporaryFolder(), name: "key" };
    const inFolder = (name: string): string => path.join(files.folder, name);
    aged(inFolder("old.1"), 2.01);
    aged(inFolder("older version"), 300);
    aged(inFolder("young.1"), 1.99);
    aged(inFolder("future.1"), -3);
    aged(fileOf(files, 1), 20);
    symlinkSync("nowhere", inFolder("link"));
    mkdirSync(inFolder("folder"));
    utimesSync(inFolder("folder"), 0, 0);
    pruneStale(files, readdirSync(files.folder), now);
    const kept = ["folder", "future.1", "key.1", "link", "young.1"];
    expect(readdirSync(files.folder).sort()).toEqual(kept);
  });
});
