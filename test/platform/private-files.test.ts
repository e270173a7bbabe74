import { chmodSync, mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ensureOwnFolder,
  ensurePrivateFolder,
  readStart,
  resolveLinks,
} from "../../src/platform/private-files.ts";
import { temporaryFolder } from "../support/program/program.ts";

/** A folder with links in it; `real` contains the file `there`. */
function folderWithLinks(): string {
  const folder = realpathSync(temporaryFolder());
  mkdirSync(path.join(folder, "real"));
  writeFileSync(path.join(folder, "real", "there"), "");
  symlinkSync("real", path.join(folder, "linked"));
  symlinkSync("linked/there", path.join(folder, "to-there"));
  symlinkSync("linked/missing", path.join(folder, "to-missing"));
  symlinkSync("../to-missing", path.join(folder, "real", "to-link"));
  symlinkSync("to-itself", path.join(folder, "to-itself"));
  symlinkSync("none/file", path.join(folder, "to-nowhere"));
  return folder;
}

describe("resolveLinks", () => {
  it.each([
    ["real/there", "real/there"],
    ["linked/there", "real/there"],
    ["to-there", "real/there"],
    ["real/missing", "real/missing"],
    ["linked/missing", "real/missing"],
    ["to-missing", "real/missing"],
    ["linked/to-link", "real/missing"],
  ])("of %s is %s", (name, end) => {
    const folder = folderWithLinks();
    expect(resolveLinks(path.join(folder, name))).toBe(path.join(folder, end));
  });

  it.each([
    ["to-itself", "ELOOP"],
    ["to-nowhere", "ENOENT"],
    ["none/file", "ENOENT"],
    ["real/there/file", "ENOTDIR"],
  ])("throws for %s: %s", (name, code) => {
    expect(() => resolveLinks(path.join(folderWithLinks(), name))).toThrow(code);
  });
});

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

describe("private files and folders", () => {
  let umask: number;
  beforeEach(() => {
    umask = process.umask(0);
  });
  afterEach(() => {
    process.umask(umask);
  });

  it.each([0, 0o027, 0o077])("makes a private folder and its parents under umask %o", (mask) => {
    const home = temporaryFolder();
    process.umask(mask);
    ensurePrivateFolder(path.join(home, "a", "b"));
    expect([modeOf(path.join(home, "a")), modeOf(path.join(home, "a", "b"))]).toEqual([
      "700",
      "700",
    ]);
  });

  it("narrows the mode of an existing folder, but not of its parents", () => {
    const home = temporaryFolder();
    const folder = path.join(home, "a", "b");
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    ensurePrivateFolder(folder);
    expect([modeOf(path.join(home, "a")), modeOf(folder)]).toEqual(["755", "700"]);
  });

  it("reports a file in place of the folder, and does not touch it", () => {
    const file = path.join(temporaryFolder(), "file");
    writeFileSync(file, "x", { mode: 0o644 });
    expect(() => ensurePrivateFolder(file)).toThrow("EEXIST");
    expect(modeOf(file)).toBe("644");
  });

  it("is used among those of all users only if it is the user's own, with that mode", () => {
    const uid = process.getuid?.() ?? 0;
    const folder = path.join(temporaryFolder(), "pets-1");
    ensureOwnFolder(folder, uid);
    ensureOwnFolder(folder, uid);
    expect(modeOf(folder)).toBe("700");
    expect(() => ensureOwnFolder(folder, uid + 1)).toThrow("only you can use");
    symlinkSync(folder, `${folder}-link`);
    expect(() => ensureOwnFolder(`${folder}-link`, uid)).toThrow("only you can use");
    chmodSync(folder, 0o750);
    expect(() => ensureOwnFolder(folder, uid)).toThrow("only you can use");
  });
});

it.each([
  ["abcdef", "abcd"],
  ["abc", "abc"],
  ["", ""],
])("the start of a file with %j is %j", (text, expected) => {
  const file = path.join(temporaryFolder(), "file");
  writeFileSync(file, text);
  expect(readStart(file, 4).toString()).toBe(expected);
});
