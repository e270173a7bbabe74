import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, it } from "vitest";
import type { Row } from "../../../src/imports/types.ts";
import { fileOf, openAt } from "../support/input.ts";

const rex = '{"name":"Rex","categoryId":1}\n';

describe("a file that changes during a run", () => {
  const rows = 2000;
  const content = rex.repeat(rows);
  const other = rex.replace("Rex", "Max");

  /** Changes the file after 100 rows; returns how many were read in total, and the error. */
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
    ["is rewritten", (file) => writeFileSync(file, other.repeat(rows))],
    ["is truncated", (file) => truncateSync(file, 0)],
    ["gets more rows", (file) => appendFileSync(file, rex)],
    ["gets another date", (file) => utimesSync(file, 1, 1)],
    [
      "is replaced by another",
      (file) => {
        writeFileSync(`${file}.new`, other.repeat(rows));
        renameSync(`${file}.new`, file);
      },
    ],
    [
      "is replaced by a FIFO",
      (file) => {
        rmSync(file);
        execFileSync("mkfifo", [file]);
      },
    ],
    [
      "is replaced by a folder",
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
    [
      "is rewritten with its former date",
      (file) => {
        const { atime, mtime } = statSync(file);
        writeFileSync(file, other.repeat(rows));
        utimesSync(file, atime, mtime);
      },
    ],
  ])("that %s stops it before the next batch", async (_what, change) => {
    const { count, names, failure } = await readWhile(change);
    expect(failure).toMatchObject({
      kind: "io",
      message: expect.stringMatching(/a\.ndjson changed during the run$/),
      facts: { retryable: false },
    });
    expect(count).toBeLessThan(120);
    expect([...names]).toEqual(["Rex"]);
  });

  it.each<readonly [string, (file: string) => void]>([
    ["is removed", (file) => rmSync(file)],
    [
      "is replaced by a link to itself",
      (file) => {
        rmSync(file);
        symlinkSync(file, file);
      },
    ],
  ])("that only %s does not stop it", async (_what, change) => {
    expect(await readWhile(change)).toEqual({
      count: rows,
      names: new Set(["Rex"]),
      failure: undefined,
    });
  });
});
