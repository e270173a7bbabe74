import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { claimOncePerDay } from "../../src/platform/once-a-day.ts";
import { temporaryFolder } from "../support/program/program.ts";

const hour = 3_600_000;
const start = Date.UTC(2026, 10, 22, 20);

describe("claimOncePerDay", () => {
  it.each([
    [0, false],
    [3, false],
    [5, false],
    [23.9, false],
    [24, true],
    [-23, false],
    [48, true],
    [-48, true],
  ])("%d hours after a claim: %s", (hours, expected) => {
    const folder = path.join(temporaryFolder(), "notices");
    expect(claimOncePerDay(folder, "text", start)).toBe(true);
    expect(claimOncePerDay(folder, "text", start + hours * hour)).toBe(expected);
    expect(claimOncePerDay(folder, "another text", start + hours * hour)).toBe(true);
  });

  it.each([true, false])("grants all claims or none if it can't record any: %s", (otherwise) => {
    const file = path.join(temporaryFolder(), "notices");
    writeFileSync(file, "");
    expect(claimOncePerDay(file, "text", start, otherwise)).toBe(otherwise);
    expect(claimOncePerDay(file, "text", start, otherwise)).toBe(otherwise);
  });
});
