import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { openEnvFile, openReport } from "../../../src/commands/serve/output-file.ts";
import { temporaryFolder } from "../../support/program/program.ts";

const reached = {
  baseUrl: "http://127.0.0.1:1/v1",
  keys: [{ apiKey: "k", plan: "free" }],
} as const satisfies Parameters<NonNullable<ReturnType<typeof openEnvFile>>["write"]>[0];
const lines = "PETS_BASE_URL=http://127.0.0.1:1/v1\nPETS_API_KEY=k\n";

it.each([
  [undefined, lines, 0o600],
  ["CI=1", `CI=1\n${lines}`, 0o644],
  ["CI=1\n", `CI=1\n${lines}`, 0o644],
])("the variables are appended to %j", (before, after, mode) => {
  const file = path.join(temporaryFolder(), "env");
  if (before !== undefined) writeFileSync(file, before, { mode: 0o644 });
  openEnvFile(file)?.write(reached);
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual([after, mode]);
});

it("a report replaces what was there, and is private", () => {
  const file = path.join(temporaryFolder(), "report");
  writeFileSync(file, "an older and longer report", { mode: 0o644 });
  const report = openReport(file);
  expect(readFileSync(file, "utf8")).toBe("");
  report?.write("new");
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["new", 0o600]);
});

it("nothing is opened without a file, and a folder is refused", () => {
  expect([openReport(undefined), openEnvFile(undefined)]).toEqual([undefined, undefined]);
  const folder = temporaryFolder();
  expect(() => openReport(folder)).toThrow(`the report ${folder} cannot be written`);
  expect(() => openEnvFile(folder)).toThrow(`${folder} cannot be written`);
});
