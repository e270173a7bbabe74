import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { NewPet } from "../../../src/core/pet.ts";
import { readSeedFile } from "../../../src/server/seed/file.ts";
import { temporaryFolder } from "../../support/program/program.ts";

async function read(content: string | Uint8Array): Promise<readonly NewPet[]> {
  const file = path.join(temporaryFolder(), "seed.ndjson");
  writeFileSync(file, content);
  return rowsOf(file);
}

const rowsOf = async (file: string, signal = new AbortController().signal) =>
  (await readSeedFile(file, signal)).pets;

const row = '{"name":"a","categoryId":1}';

describe("readSeedFile", () => {
  it.each([
    ["lines", `${row}\n${row}\n`, 2],
    ["no last line end", `${row}\n${row}`, 2],
    ["CRLF", `${row}\r\n${row}\r\n`, 2],
    ["blank lines", `\n${row}\n  \t\n\r\n${row}\n\n`, 2],
    ["a byte-order mark", `\uFEFF${row}\n`, 1],
    ["nothing", "", 0],
    ["many lines", `${row}\n`.repeat(5000), 5000],
    ["a long line", `{"name":"${"x".repeat(65_000)}","categoryId":1}\n${row}`, 2],
  ])("accepts %s", async (_what, content, count) => {
    expect(await read(content)).toHaveLength(count);
  });

  it.each<readonly [string, string | Uint8Array, RegExp]>([
    ["a bad name", `${row}\n\n{"name":" ","categoryId":1}`, /seed\.ndjson, line 3: name must/],
    ["no JSON", `${row}\n{`, /line 2: the row must be a JSON object, but is not valid JSON/],
    [
      "no UTF-8",
      Buffer.concat([Buffer.from(`${row}\n`), Buffer.from([0x22, 0xff, 0x22])]),
      /line 2: .*UTF-8/,
    ],
    [
      "an endless line",
      `${row}\n${"x".repeat(1_000_000)}`,
      /line 2: the row must be 65536 bytes at most/,
    ],
  ])("rejects %s by line and field", async (_what, content, message) => {
    await expect(read(content)).rejects.toThrow(message);
    await expect(read(content)).rejects.toMatchObject({ kind: "usage" });
  });

  it("rejects a missing file", async () => {
    const missing = path.join(temporaryFolder(), "no.ndjson");
    await expect(rowsOf(missing)).rejects.toMatchObject({
      kind: "io",
      message: expect.stringContaining(missing),
    });
  });

  it("stops when it is aborted", async () => {
    const file = path.join(temporaryFolder(), "seed.ndjson");
    writeFileSync(file, `${row}\n`);
    const aborted = AbortSignal.abort(new Error("enough"));
    await expect(rowsOf(file, aborted)).rejects.toThrow("enough");
  });
});
