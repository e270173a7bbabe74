import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
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
    [48, true],
    [-48, true],
  ])("%d hours after a claim: %s", (hours, expected) => {
    const folder = path.join(temporaryFolder(), "notices");
    expect(claimOncePerDay(folder, "text", start)).toBe(true);
    expect(claimOncePerDay(folder, "text", start + hours * hour)).toBe(expected);
    expect(claimOncePerDay(folder, "another text", start + hours * hour)).toBe(true);
  });

  it("leaves one file for each text", () => {
    const folder = path.join(temporaryFolder(), "notices");
    for (let day = 0; day < 5; day += 1) claimOncePerDay(folder, "text", start + day * 25 * hour);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it("grants all claims if it can't record any", () => {
    const file = path.join(temporaryFolder(), "notices");
    writeFileSync(file, "");
    expect(claimOncePerDay(file, "text", start)).toBe(true);
    expect(claimOncePerDay(file, "text", start)).toBe(true);
  });

  it("ignores files that are not its own", () => {
    const folder = temporaryFolder();
    expect(claimOncePerDay(folder, "text", start)).toBe(true);
    const [name = ""] = readdirSync(folder);
    mkdirSync(path.join(folder, `${name.split(".")[0]}.x`));
    expect(claimOncePerDay(folder, "text", start + 25 * hour)).toBe(true);
    expect(claimOncePerDay(folder, "text", start + 25 * hour)).toBe(false);
  });
});
