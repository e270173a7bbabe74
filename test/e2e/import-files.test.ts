import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runHere } from "../support/command/world.ts";
import { cleanEnv, envFor, temporaryFolder } from "../support/program/program.ts";
import { startFaultyStore } from "../support/servers/faulty-store.ts";
import type { TestStore } from "../support/servers/store.ts";

/** What LibreOffice saved: see test/fixtures/README.md. */
const saved = (name: string) => path.join(import.meta.dirname, "../fixtures/spreadsheets", name);

/** The same as a spreadsheet on Windows saves it: with a byte-order mark and CRLF, except within values. */
function asOnWindows(name: string): string {
  const folder = path.join(temporaryFolder(), "windows");
  mkdirSync(folder);
  const file = path.join(folder, name);
  const text = readFileSync(saved(name), "utf8").replaceAll("\n", "\r\n");
  writeFileSync(file, `\uFEFF${text.replace("two\r\nlines", "two\nlines")}`);
  return file;
}

const shelter = [
  '{"name":"Müller, Max","categoryId":1,"status":"available"}',
  '{"name":"Der \\"Große\\"","categoryId":2,"status":"pending"}',
  '{"name":"0042","categoryId":3,"status":"sold"}',
  '{"name":"Zoë 🐶","categoryId":9223372036854775807,"status":"available"}',
  '{"name":" Blank ","categoryId":-6,"status":"pending"}',
  '{"name":"back\\\\slash","categoryId":7}',
  '{"name":"two\\nlines","categoryId":8,"status":"sold"}',
  '{"name":"Rexx","categoryId":9,"status":"available"}',
];

const versions = ["commas.csv", "unquoted.csv", "semicolons.csv"];

describe("a spreadsheet saved as CSV", () => {
  it.each(versions)("is read: %s", async (name) => {
    for (const file of [saved(name), asOnWindows(name)]) {
      const run = await runHere(["add", "--from", file, "--dry-run", "-o", "ndjson"], {
        env: cleanEnv(),
      });
      expect(run.code).toBe(0);
      // Outer blanks count only in quotes.
      const rows = run.stdout.replace('"Blank"', '" Blank "').trim().split("\n");
      expect(rows).toEqual(shelter);
      expect(run.stdout.includes('"Blank"')).toBe(name === "unquoted.csv");
    }
  });

  it("is recognised however it is saved, and sends only new rows after an edit", async () => {
    const lab = await startFaultyStore();
    const env = envFor(lab);
    const add = (file: string, ...more: string[]) =>
      runHere(["add", "--from", file, "--json", ...more], { env });
    expect(await add(saved("commas.csv"))).toMatchObject({ code: 0 });
    for (const name of versions.slice(1)) {
      const again = await add(asOnWindows(name));
      expect(again).toMatchObject({ code: 2, stdout: "" });
      expect(again.stderr).toContain('"details":{"known":8,"rows":8,"file":"');
    }
    const edited = await add(saved("edited.csv"));
    expect(edited.stderr).toContain('"details":{"known":7,"rows":10,"file":"');
    expect(await add(saved("edited.csv"), "--only-new")).toMatchObject({ code: 0 });
    expect(await add(asOnWindows("edited.csv"), "--only-new")).toMatchObject({ code: 0 });
    expect(await animalsOf(lab)).toEqual(
      [
        ...shelter,
        '{"name":"Rex","categoryId":9,"status":"available"}',
        '{"name":"Nala","categoryId":4,"status":"available"}',
        '{"name":"日本","categoryId":5,"status":"sold"}',
      ].toSorted(),
    );
  });
});

/** Returns the animals of a store as JSON without their ids, sorted. */
async function animalsOf({ storage }: TestStore): Promise<string[]> {
  const page = Buffer.from(await storage.list({ limit: 100, status: undefined })).toString();
  return page
    .slice(1, -1)
    .split(/(?<=\}),/)
    .map((pet) => pet.replace(/"id":\d+,/, ""))
    .toSorted();
}
