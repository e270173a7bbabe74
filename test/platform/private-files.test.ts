import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { resolveLinks } from "../../src/platform/links.ts";
import { temporaryFolder } from "../support/program.ts";

/** A folder with links in it; `real` holds the file `there`. */
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

describe("endOfLinks", () => {
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

  it("of a relative name is absolute", () => {
    const file = path.join(folderWithLinks(), "to-missing");
    expect(resolveLinks(path.relative(process.cwd(), file))).toBe(resolveLinks(file));
  });

  it.each([
    ["to-itself", "ELOOP"],
    ["to-nowhere", "ENOENT"],
    ["none/file", "ENOENT"],
    ["real/there/file", "ENOTDIR"],
  ])("of %s is none: %s", (name, code) => {
    expect(() => resolveLinks(path.join(folderWithLinks(), name))).toThrow(code);
  });
});
