import { spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Program } from "../../../src/commands/runtime.ts";
import { writePathShim } from "../../../src/commands/serve/path-shim.ts";
import { thisMachine } from "../../support/command/machine.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { smallDisk } from "../../support/program/small-disk.ts";

const echo = { node: "/bin/echo", script: "it's a script", platform: "linux" } as Program;

/** Makes a shim with a folder for temporary files of its own. */
function shimIn(TMPDIR: string, program: Program = echo, own = temporaryFolder()) {
  vi.stubEnv("TMPDIR", TMPDIR);
  onTestFinished(() => void vi.unstubAllEnvs());
  const folders = {
    config: own,
    data: own,
    state: path.join(own, "s"),
    cache: path.join(own, "c"),
  };
  const shim = writePathShim({ folders, machine: thisMachine, program });
  onTestFinished(() => void (existsSync(shim.folder) && shim.remove()));
  const PATH = `${shim.folder}:${process.env.PATH}`;
  const start = (...args: string[]) =>
    spawnSync("pets", args, { encoding: "utf8", env: { PATH }, cwd: "/" });
  return { ...shim, folders, start };
}

/** Makes a folder with this name. */
function folderNamed(name: string): string {
  const folder = path.join(temporaryFolder(), name);
  mkdirSync(folder);
  return folder;
}

describe("a PATH's folder", () => {
  it("is private, has a `pets` that passes its arguments on, and is removed", () => {
    const { folder, start, remove } = shimIn(temporaryFolder());
    for (const each of [folder, path.join(folder, "pets")])
      expect(statSync(each).mode & 0o777).toBe(0o700);
    expect(start("list", "a b").stdout).toBe("it's a script list a b\n");
    remove();
    expect(existsSync(folder)).toBe(false);
  });

  it("names no script for the standalone program", () => {
    const { start } = shimIn(temporaryFolder(), { ...echo, script: undefined });
    expect(start("x").stdout).toBe("x\n");
  });

  it.each(["a b", "it's", 'a"b', "a\nb", "$HOME `x` \\", "a%b;c"])("may be below %j", (name) => {
    const parent = folderNamed(name);
    const node = path.join(parent, "echo");
    symlinkSync("/bin/echo", node);
    const { folder, start } = shimIn(parent, { ...echo, node, script: path.join(parent, "x.js") });
    expect(path.dirname(folder)).toBe(parent);
    expect(start("x").stdout).toBe(`${parent}/x.js x\n`);
  });

  it("is absolute", () => {
    const parent = temporaryFolder();
    expect(shimIn(path.relative(process.cwd(), parent)).folder).toMatch(`${parent}/pets-serve-`);
  });

  it("is in the cache directory where a colon would split the PATH", () => {
    const { folder, folders, start } = shimIn(folderNamed("a:b"));
    expect(path.dirname(folder)).toBe(folders.cache);
    expect(start("x").stdout).toBe("it's a script x\n");
  });

  it("is in the cache directory where the one for temporary files is missing", () => {
    const { folder, folders } = shimIn("/no/such/folder");
    expect(path.dirname(folder)).toBe(folders.cache);
  });

  it("is in the cache directory where the file system runs no programs", ({ skip }) => {
    const disk = smallDisk("1m,noexec", skip);
    const { folder, folders, start } = shimIn(disk);
    expect(path.dirname(folder)).toBe(folders.cache);
    expect(start("x").stdout).toBe("it's a script x\n");
    expect(readdirSync(disk)).toEqual([]);
  });

  it("is nowhere where no directory can be used, which is an error that names them", () => {
    const own = path.join(temporaryFolder(), "file");
    writeFileSync(own, "");
    const [noFolder, notOne] = ["no such file or directory", "not a directory"];
    expect(() => shimIn("/no/such/folder", echo, own)).toThrow(
      expect.objectContaining({
        kind: "io",
        message: expect.stringContaining(
          `: /no/such/folder (${noFolder}), ${own}/c (${notOne}), ${own}/s (${notOne})`,
        ),
      }),
    );
  });

  it("has a batch file on Windows, with each % of a path doubled", () => {
    const program = { ...echo, script: "C:\\100%\\pets.js", platform: "win32" } as const;
    const { folder } = shimIn(temporaryFolder(), program);
    const text = '@"/bin/echo" "C:\\100%%\\pets.js" %*\r\n';
    expect(readFileSync(path.join(folder, "pets.cmd"), "utf8")).toBe(text);
  });
});

it("removes what a killed process left, and nothing else", () => {
  const parent = temporaryFolder();
  const make = (name: string): string => {
    const folder = path.join(parent, name);
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(path.join(folder, "pets"), "");
    return folder;
  };
  const left = make("pets-serve-left");
  const running = shimIn(parent).folder;
  expect(existsSync(left)).toBe(false);
  const others = [make("pets-other"), make("elsewhere")];
  symlinkSync(path.join(parent, "elsewhere"), path.join(parent, "pets-serve-link"));
  if (process.getuid?.() === 0) {
    others.push(make("pets-serve-foreign"));
    chownSync(path.join(parent, "pets-serve-foreign"), 54_321, 54_321);
  }
  const next = shimIn(parent);
  for (const each of [running, ...others, next.folder]) expect(readdirSync(each)).toContain("pets");
});
