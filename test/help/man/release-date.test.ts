import { describe, expect, it } from "vitest";
import { releaseDate } from "../../../src/help/man/release-date.ts";

describe("releaseDate", () => {
  const changelog =
    "# Changelog\n\n## Unreleased\n\n## [1.1.0] - 2027-02-03\n\n## 1.0.0 - 2026-11-21\n";

  it.each([
    ["1.1.0", "2027-02-03"],
    ["1.0.0", "2026-11-21"],
    ["1.2.0", undefined],
  ])("of %s is %s", (version, date) => {
    expect(releaseDate(changelog, version)).toBe(date);
  });
});
