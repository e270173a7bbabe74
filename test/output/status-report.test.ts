import { describe, expect, it } from "vitest";
import { type StatusReport, statusReport } from "../../src/output/status-report.ts";

const place = {
  configFile: "/home/me/.config/pets/config.json",
  stateDirectory: "/home/me/.local/state/pets",
  dataDirectory: "/home/me/.local/share/pets",
  cacheDirectory: "/home/me/.cache/pets",
  version: "1.2.3",
  node: "24.0.0",
  platform: "linux",
};
const works = { ok: true, exitCode: 0, answered: true, ms: 42, keyAccepted: true };
const good: StatusReport = { ...works, ...place };

/** Returns the line of the report that begins with `label`. */
function lineOf(
  label: string,
  report: Partial<StatusReport>,
  limits: readonly string[] = [],
): string {
  const lines = statusReport({ ...good, ...report }, limits).split("\n");
  return lines.find((line) => line.startsWith(`${label} `)) ?? "";
}

describe("statusText", () => {
  it.each<[string, Partial<StatusReport>, string]>([
    ["Profile", { profile: "shop", profileFrom: "--profile" }, "shop (--profile)"],
    ["Profile", {}, "none"],
    ["Key", { key: "…1234", keyFrom: "PETS_API_KEY" }, "…1234 (PETS_API_KEY)"],
    ["Service", {}, "responds in 42 ms, and accepts the key"],
    ["Service", { problem: "401 from a", keyAccepted: false }, "401 from a (42 ms)"],
    ["Service", { problem: "no\x1b[2J\n" }, String.raw`no\x1b[2J\n (42 ms)`],
    ["Versions", {}, "pets 1.2.3, Node.js 24.0.0, linux"],
  ])("%s of %j", (label, report, value) => {
    expect(lineOf(label, report)).toBe(`${label.padEnd(10)}${value}`);
  });

  it.each([
    [[], "unknown"],
    [["Unlimited requests.", "Waiting."], "Unlimited requests. Waiting."],
  ])("limits %j", (limits, shown) => {
    expect(lineOf("Limits", {}, limits)).toBe(`Limits    ${shown}`);
  });

  it.each([100, 60, 40, 20])("fits %i columns, and loses nothing", (width) => {
    const problem = `the service ${"broke ".repeat(20)}`;
    const text = statusReport({ ...good, problem, profile: "x".repeat(64) }, [], width);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(text.replaceAll(/\s/g, "")).toContain(place.configFile);
    expect(text.replaceAll(/\s/g, "")).toContain("x".repeat(64));
  });
});
