import { closeSync, openSync } from "node:fs";
import { expect, it } from "vitest";
import { inputFrom } from "../../src/platform/input.ts";
import { temporaryFolder } from "../support/program/program.ts";

it("rejects standard input that is a folder", async () => {
  const folder = openSync(temporaryFolder(), "r");
  const input = inputFrom(folder, {
    stdin: () => process.stdin,
    stderr: () => process.stderr,
    interrupt: () => {},
    isatty: () => false,
  });
  await expect(Array.fromAsync(input)).rejects.toThrow(/^it is a directory$/);
  closeSync(folder);
});
