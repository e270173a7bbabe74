import { execFileSync, spawn } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type ImportInput, openInput } from "../../../src/imports/input/input.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { bytesOf, fileOf, openAt, openFiles, rowsIn } from "../support/input.ts";

const rex = '{"name":"Rex","categoryId":1}\n';
const { signal } = new AbortController();

afterEach(() => void vi.unstubAllEnvs());

async function isReadOnce(opening: Promise<ImportInput>): Promise<boolean> {
  const input = await opening;
  input.close();
  return input.isReadOnce;
}

async function countOf(input: ImportInput): Promise<number> {
  const { rows } = await input.check();
  expect(await rowsIn(input)).toHaveLength(rows);
  input.close();
  return rows;
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(rex);
  throw Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" });
}

describe("an input that can't be read", () => {
  it.each<readonly [string, (folder: string) => string, RegExp]>([
    [
      "that is missing",
      (folder) => path.join(folder, "no.csv"),
      /^cannot read .*no\.csv: no such file or directory$/,
    ],
    ["that is a folder", (folder) => folder, /^cannot read .*: it is a directory$/],
    [
      "below a file",
      (folder) => path.join(fileIn(folder), "x"),
      /^cannot read .*: not a directory$/,
    ],
    ["of a name with NUL", () => "a\0b", /^cannot read/],
  ])("fails with its name, such as %s", async (_what, place, message) => {
    const opening = openAt(place(temporaryFolder()));
    await expect(opening).rejects.toMatchObject({
      kind: "io",
      message: expect.stringMatching(message),
    });
  });

  it("may be a standard input that breaks", async () => {
    const request = { file: "-", ignoreFields: false, stdin: broken(), signal };
    await expect(openInput(request)).rejects.toMatchObject({
      kind: "io",
      message: "cannot read standard input: i/o error",
    });
  });

  it("may lack a folder for its copy", async () => {
    const folder = path.join(temporaryFolder(), "none");
    vi.stubEnv("TMPDIR", folder);
    const request = { file: "-", ignoreFields: false, stdin: bytesOf(rex), signal };
    await expect(openInput(request)).rejects.toMatchObject({
      kind: "io",
      message: expect.stringContaining(path.join(folder, "pets-")),
    });
  });
});

function fileIn(folder: string): string {
  const file = path.join(folder, "file");
  writeFileSync(file, "");
  return file;
}

describe("standard input and pipes", () => {
  it.each(["-", "/dev/stdin", "/dev/fd/0"])(
    "are read twice, from an unlinked copy: %s",
    async (file) => {
      const folder = temporaryFolder();
      const stdin = bytesOf(rex.slice(0, 9), rex.slice(9), "\n", rex);
      vi.stubEnv("TMPDIR", folder);
      const input = await openInput({ file, ignoreFields: false, stdin, signal });
      expect(input.name).toBe("standard input");
      expect(readdirSync(folder)).toEqual([]);
      expect(await countOf(input)).toBe(2);
    },
  );

  it("are copied to a file that others can't read", async () => {
    const folder = temporaryFolder();
    let modes: readonly string[] = [];
    async function* watching(): AsyncGenerator<Uint8Array> {
      modes = openFiles()
        .filter(({ place }) => place.startsWith(folder))
        .map(({ mode }) => mode.toString(8));
      yield Buffer.from(rex);
    }
    vi.stubEnv("TMPDIR", folder);
    const input = await openInput({ file: "-", ignoreFields: false, stdin: watching(), signal });
    expect(modes).toEqual(["100600"]);
    expect(await countOf(input)).toBe(1);
  });

  it("may be a FIFO whose writer opens it late", async () => {
    const fifo = path.join(temporaryFolder(), "fifo.ndjson");
    execFileSync("mkfifo", [fifo]);
    const writer = spawn("sh", [
      "-c",
      `sleep 0.2; for i in 1 2 3; do echo '${rex.trim()}'; done > "${fifo}"`,
    ]);
    expect(await countOf(await openAt(fifo))).toBe(3);
    writer.kill();
  });

  it("are known to be readable only once", async () => {
    const request = { file: "-", ignoreFields: false, stdin: bytesOf(rex), signal };
    expect(await isReadOnce(openInput(request))).toBe(true);
    expect(await isReadOnce(openAt("/dev/null"))).toBe(true);
    expect(await isReadOnce(openAt(fileOf(rex)))).toBe(false);
  });

  it("may be empty", async () => {
    expect(await countOf(await openAt("/dev/null", { format: "ndjson" }))).toBe(0);
  });

  it("are no longer read once the run is aborted", async () => {
    const fifo = path.join(temporaryFolder(), "fifo");
    execFileSync("mkfifo", [fifo]);
    const ending = new AbortController();
    const opening = openInput({
      file: fifo,
      ignoreFields: false,
      stdin: bytesOf(),
      signal: ending.signal,
    });
    setTimeout(() => ending.abort(new Error("interrupted")), 50);
    await expect(opening).rejects.toThrow("interrupted");
  });
});
