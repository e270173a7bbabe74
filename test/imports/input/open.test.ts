import { execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  linkSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ImportInput } from "../../../src/imports/input/input.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { bytesOf, fileOf, openAt, rowsIn } from "../support/input.ts";

const rex = '{"name":"Rex","categoryId":1}\n';

afterEach(() => void vi.unstubAllEnvs());

async function countOf(input: ImportInput): Promise<number> {
  const { rows } = await input.check();
  expect(await rowsIn(input)).toHaveLength(rows);
  input.close();
  return rows;
}

function fifoIn(folder: string): string {
  const fifo = path.join(folder, "fifo.ndjson");
  execFileSync("mkfifo", [fifo]);
  return fifo;
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(rex);
  throw Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" });
}

describe("an input that can't be read", () => {
  it.each<readonly [string, (folder: string) => string, RegExp]>([
    ["that is missing", (folder) => path.join(folder, "no.csv"), /no\.csv: no such file/],
    ["that is a directory", (folder) => folder, /^cannot read .*: it is a directory$/],
    ["below a file", () => path.join(fileOf(""), "x"), /^cannot read .*: not a directory$/],
    ["of a name with NUL", () => "a\0b", /^cannot read/],
  ])("fails with its name, such as %s", async (_what, place, message) => {
    await expect(openAt(place(temporaryFolder()))).rejects.toMatchObject({
      kind: "io",
      message: expect.stringMatching(message),
    });
  });

  it("may be a standard input that breaks", async () => {
    await expect(openAt("-", { stdin: broken() })).rejects.toMatchObject({
      kind: "io",
      message: "cannot read standard input: i/o error",
    });
  });

  it("may lack a directory for its copy", async () => {
    const folder = path.join(temporaryFolder(), "none");
    vi.stubEnv("TMPDIR", folder);
    await expect(openAt("-", { stdin: bytesOf(rex) })).rejects.toMatchObject({
      kind: "io",
      message: expect.stringContaining(path.join(folder, "pets-")),
    });
  });
});

describe("standard input and pipes", () => {
  it.each(["-", "/dev/stdin", "/dev/fd/0"])(
    "are read twice, from an unlinked copy that others can't read: %s",
    async (file) => {
      const folder = temporaryFolder();
      vi.stubEnv("TMPDIR", folder);
      const stdin = bytesOf(rex.slice(0, 9), rex.slice(9), "\n", rex);
      const input = await openAt(file, { stdin });
      expect(input).toMatchObject({ name: "standard input", isReadOnce: true });
      expect(readdirSync(folder)).toEqual([]);
      const copy = readdirSync("/proc/self/fd")
        .map((fd) => `/proc/self/fd/${fd}`)
        .find(
          (fd) => statSync(fd, { throwIfNoEntry: false }) && readlinkSync(fd).startsWith(folder),
        );
      expect(statSync(copy ?? "").mode.toString(8)).toBe("100600");
      expect(await countOf(input)).toBe(2);
    },
  );

  it("may be a FIFO whose writer opens it late", async () => {
    const fifo = fifoIn(temporaryFolder());
    const writer = spawn("sh", ["-c", `sleep 0.2; printf '${rex.trim()}\\n\\n' > "${fifo}"`]);
    expect(await countOf(await openAt(fifo))).toBe(1);
    writer.kill();
  });

  it("may be empty", async () => {
    const input = await openAt("/dev/null", { format: "ndjson" });
    expect(input.isReadOnce).toBe(true);
    expect(await countOf(input)).toBe(0);
  });

  it("are no longer read once the run is aborted", async () => {
    const ending = new AbortController();
    const opening = openAt(fifoIn(temporaryFolder()), { signal: ending.signal });
    setTimeout(() => ending.abort(new Error("interrupted")), 50);
    await expect(opening).rejects.toThrow("interrupted");
  });
});

describe("a file that changes during a run", () => {
  const rows = 2000;
  const other = rex.replace("Rex", "Max").repeat(rows);

  /** Changes the file after 100 rows; returns the names that were read in total, and the error. */
  async function readWhile(change: (file: string) => void) {
    const file = fileOf(rex.repeat(rows), "a.ndjson");
    const input = await openAt(file);
    await input.check();
    const names: string[] = [];
    const reading = (async () => {
      for await (const batch of input.rows()) {
        if (names.length < 100 && names.length + batch.length >= 100) change(file);
        names.push(...batch.map(({ pet }) => pet.name));
      }
    })();
    const failure: unknown = await reading.catch((error: unknown) => error);
    input.close();
    return { names, failure };
  }

  it.each<readonly [string, (file: string) => void]>([
    ["gets more rows", (file) => appendFileSync(file, rex)],
    ["gets another date", (file) => utimesSync(file, 1, 1)],
    [
      "is replaced by another",
      (file) => {
        writeFileSync(`${file}.new`, other);
        renameSync(`${file}.new`, file);
      },
    ],
    [
      "is rewritten with its former date",
      (file) => {
        const { atime, mtime } = statSync(file);
        writeFileSync(file, other);
        utimesSync(file, atime, mtime);
      },
    ],
  ])("that %s stops it before the next batch", async (_what, change) => {
    const { names, failure } = await readWhile(change);
    expect(failure).toMatchObject({
      kind: "io",
      message: expect.stringMatching(/a\.ndjson changed during the run$/),
      facts: { retryable: false },
    });
    expect(names.length).toBeLessThan(600);
    expect(new Set(names)).toEqual(new Set(["Rex"]));
  });

  it.each<readonly [string, (file: string) => void]>([
    ["is only removed", (file) => rmSync(file)],
    ["gets another mode", (file) => chmodSync(file, 0o400)],
    ["gets another name", (file) => linkSync(file, `${file}.new`)],
  ])("that %s does not stop it", async (_what, change) => {
    const { names, failure } = await readWhile(change);
    expect(failure).toBeUndefined();
    expect(names).toHaveLength(rows);
  });
});
