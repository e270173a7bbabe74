import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type BulkInput, openInput } from "../../../src/bulk/input/input.ts";
import type { InputFormat, Row } from "../../../src/bulk/types.ts";
import { temporaryFolder } from "../../support/program.ts";
import { bytesOf, fileOf, openAt } from "../support/input.ts";

const rex = '{"name":"Rex","categoryId":1}\n';
const { signal } = new AbortController();

async function rowsOf(input: BulkInput): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const batch of input.rows()) rows.push(...batch);
  return rows;
}

async function isReadOnce(opening: Promise<BulkInput>): Promise<boolean> {
  const input = await opening;
  input.close();
  return input.isReadOnce;
}

async function countOf(input: BulkInput): Promise<number> {
  const { rows } = await input.check();
  expect(await rowsOf(input)).toHaveLength(rows);
  input.close();
  return rows;
}

describe("the format", () => {
  it.each<readonly [string, string, InputFormat | undefined, InputFormat]>([
    ["a.ndjson", "x", undefined, "ndjson"],
    ["a.JSONL", "[", undefined, "ndjson"],
    ["a.b.Json", "{", undefined, "json"],
    ["a.csv", "{", undefined, "csv"],
    ["a.csv", "x", "json", "json"],
    ["a.txt", "\uFEFF \n\r\t[", undefined, "json"],
    ["a", `${" ".repeat(100_000)}{`, undefined, "ndjson"],
    ["json", "name,", undefined, "csv"],
    [".csv", "", undefined, "csv"],
    ["a.toString", "", undefined, "csv"],
  ])("of %s with %.10j and --format %s is %s", async (name, content, format, found) => {
    const input = await openAt(fileOf(content, name), { ...(format !== undefined && { format }) });
    expect(input.format).toBe(found);
    input.close();
  });
});

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(rex);
  throw new Error("EIO: i/o error, read");
}

/** What this process has open: where it is, and its mode. */
function openFiles(): { descriptor: number; place: string; mode: number }[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    const link = `/proc/self/fd/${fd}`;
    const mode = statSync(link, { throwIfNoEntry: false })?.mode;
    if (mode === undefined) return [];
    return [{ descriptor: Number(fd), place: readlinkSync(link), mode }];
  });
}

describe("an input that can't be read", () => {
  it.each<readonly [string, (folder: string) => string, RegExp]>([
    ["that is missing", (folder) => path.join(folder, "no.csv"), /no\.csv can't be read: ENOENT/],
    ["that is a folder", (folder) => folder, /can't be read: it is a folder/],
    ["below a file", (folder) => path.join(fileIn(folder), "x"), /can't be read: ENOTDIR/],
    ["of a name with NUL", () => "a\0b", /can't be read/],
  ])("%s is an io Failure that names it", async (_what, place, message) => {
    const opening = openAt(place(temporaryFolder()));
    await expect(opening).rejects.toMatchObject({
      kind: "io",
      message: expect.stringMatching(message),
    });
  });

  it("because its standard input breaks", async () => {
    const request = { file: "-", ignoreUnknown: false, stdin: broken(), signal };
    await expect(openInput(request)).rejects.toMatchObject({
      kind: "io",
      message: "standard input can't be read: EIO: i/o error, read",
    });
  });

  it("because there is no place for a copy", async () => {
    const folder = path.join(temporaryFolder(), "none");
    const request = { file: "-", ignoreUnknown: false, stdin: bytesOf(rex), signal, folder };
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
    "%s is read twice, from a copy without a name",
    async (file) => {
      const folder = temporaryFolder();
      const stdin = bytesOf(rex.slice(0, 9), rex.slice(9), "\n", rex);
      const input = await openInput({ file, ignoreUnknown: false, stdin, signal, folder });
      expect(input.name).toBe("standard input");
      expect(readdirSync(folder)).toEqual([]);
      expect(await countOf(input)).toBe(2);
    },
  );

  it("are for nobody else to read while they come in", async () => {
    const folder = temporaryFolder();
    let modes: readonly string[] = [];
    async function* watching(): AsyncGenerator<Uint8Array> {
      modes = openFiles()
        .filter(({ place }) => place.startsWith(folder))
        .map(({ mode }) => mode.toString(8));
      yield Buffer.from(rex);
    }
    const input = await openInput({
      file: "-",
      ignoreUnknown: false,
      stdin: watching(),
      signal,
      folder,
    });
    expect(modes).toEqual(["100600"]);
    expect(await countOf(input)).toBe(1);
  });

  it("may be a FIFO whose writer comes late", async () => {
    const fifo = path.join(temporaryFolder(), "fifo.ndjson");
    execFileSync("mkfifo", [fifo]);
    const writer = spawn("sh", [
      "-c",
      `sleep 0.2; for i in 1 2 3; do echo '${rex.trim()}'; done > "${fifo}"`,
    ]);
    expect(await countOf(await openAt(fifo))).toBe(3);
    writer.kill();
  });

  it("are told from what can be read again", async () => {
    const request = { file: "-", ignoreUnknown: false, stdin: bytesOf(rex), signal };
    expect(await isReadOnce(openInput(request))).toBe(true);
    expect(await isReadOnce(openAt("/dev/null"))).toBe(true);
    expect(await isReadOnce(openAt(fileOf(rex)))).toBe(false);
  });

  it("may be nothing", async () => {
    expect(await countOf(await openAt("/dev/null"))).toBe(0);
  });

  it("are left as soon as the run is to end", async () => {
    const fifo = path.join(temporaryFolder(), "fifo");
    execFileSync("mkfifo", [fifo]);
    const ending = new AbortController();
    const opening = openInput({
      file: fifo,
      ignoreUnknown: false,
      stdin: bytesOf(),
      signal: ending.signal,
    });
    setTimeout(() => ending.abort(new Error("interrupted")), 50);
    await expect(opening).rejects.toThrow("interrupted");
  });
});

describe("a file that changes under a run", () => {
  const rows = 20_000;
  const content = rex.repeat(rows);
  const other = rex.replace("Rex", "Max");

  /** Changes the file when 100 rows were read: how many were in the end, and what that ended with. */
  async function readWhile(change: (file: string) => void) {
    const file = fileOf(content, "a.ndjson");
    const input = await openAt(file);
    await input.check();
    const found: Row[] = [];
    const reading = (async () => {
      for await (const batch of input.rows()) {
        if (found.length < 100 && found.length + batch.length >= 100) change(file);
        found.push(...batch);
      }
    })();
    const failure: unknown = await reading.catch((error: unknown) => error);
    input.close();
    return { count: found.length, names: new Set(found.map(({ pet }) => pet.name)), failure };
  }

  it.each<readonly [string, (file: string) => void]>([
    ["is written anew", (file) => writeFileSync(file, other.repeat(rows))],
    ["is cut", (file) => truncateSync(file, 0)],
    ["gets more rows", (file) => appendFileSync(file, rex)],
    [
      "makes room for another",
      (file) => {
        writeFileSync(`${file}.new`, other.repeat(rows));
        renameSync(`${file}.new`, file);
      },
    ],
    [
      "makes room for a FIFO",
      (file) => {
        rmSync(file);
        execFileSync("mkfifo", [file]);
      },
    ],
    [
      "makes room for a folder",
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
    [
      "is written anew with its former date",
      (file) => {
        const { atime, mtime } = statSync(file);
        writeFileSync(file, other.repeat(rows));
        utimesSync(file, atime, mtime);
      },
    ],
  ])("and %s stops it before the next batch", async (_what, change) => {
    const { count, names, failure } = await readWhile(change);
    expect(failure).toMatchObject({
      kind: "io",
      message: expect.stringMatching(/a\.ndjson was changed under the run$/),
      facts: { retryable: false },
    });
    expect(count).toBeLessThan(120);
    expect([...names]).toEqual(["Rex"]);
  });

  it.each<readonly [string, (file: string) => void]>([
    ["gets another date", (file) => utimesSync(file, 1, 1)],
    ["is written the same", (file) => writeFileSync(file, content)],
    [
      "makes room for the same",
      (file) => {
        writeFileSync(`${file}.new`, content);
        renameSync(`${file}.new`, file);
      },
    ],
    ["is removed", (file) => rmSync(file)],
    [
      "makes room for a link to itself",
      (file) => {
        rmSync(file);
        symlinkSync(file, file);
      },
    ],
  ])("but only %s does not stop it", async (_what, change) => {
    expect(await readWhile(change)).toEqual({
      count: rows,
      names: new Set(["Rex"]),
      failure: undefined,
    });
  });

  it("is seen by its bytes where nothing else says so", async () => {
    const folder = temporaryFolder();
    const stdin = bytesOf(content);
    const input = await openInput({ file: "-", ignoreUnknown: false, stdin, signal, folder });
    await input.check();
    const copy = openFiles().find(({ place }) => place.startsWith(folder));
    writeSync(copy?.descriptor ?? -1, "Max", content.length - rex.length + rex.indexOf("Rex"));
    let count = 0;
    const reading = (async () => {
      for await (const batch of input.rows()) count += batch.length;
    })();
    await expect(reading).rejects.toMatchObject({ kind: "io" });
    // No row of the last chunk came out.
    expect(count).toBeLessThanOrEqual(
      (Math.floor(content.length / 262_144) * 262_144) / rex.length,
    );
    expect(count).toBeGreaterThan(rows / 2);
    input.close();
  });
});

it("the hash is that of the bytes, whatever they are called", async () => {
  const hashes = new Set<string>();
  const file = fileOf(rex, "a.ndjson");
  const link = path.join(temporaryFolder(), "b.ndjson");
  symlinkSync(file, link);
  for (const place of [file, link]) {
    const input = await openAt(place);
    hashes.add((await input.check()).hash);
    input.close();
  }
  const expected = createHash("sha256").update(rex).digest("hex");
  expect([...hashes]).toEqual([expected]);
});
