// @vitest-environment happy-dom
import { expect, it } from "vitest";
import {
  formatCountdown,
  LimitsView,
  windowName,
} from "../../../../src/server/page/app/limits.tsx";
import { show } from "./views.tsx";

const now = Date.UTC(2030, 0, 1);
const window = { seconds: 60, used: 3, limit: 10, resetAt: now + 30_000 };
const key = {
  id: "abc",
  plan: "free",
  windows: [window, { ...window, seconds: 86_400, limit: null }],
};

it.each([
  [
    { waitUntil: null, bannedUntil: null },
    /^Limits of 1 keyfree abcPer minute resets in \d+ s3 of 10 usedPer day 3 used, unlimited$/,
  ],
  [{ waitUntil: window.resetAt, bannedUntil: null }, /Rate limited for 30 s/],
  [{ waitUntil: null, bannedUntil: now + 600_000 }, /Banned for (?:9:\d\d|10:00)/],
  [{ windows: [{ ...window, limit: 12_000, resetAt: now }] }, /Per minute 0 of 12,000 used$/],
])("shows a key with %j", async (state, expected) => {
  const { text } = await show(<LimitsView />, {
    "/_store/limits": { now, keys: [{ ...key, ...state }] },
  });
  expect(text()).toMatch(expected);
});

it.each([
  [-5, "0 s"],
  [8_001, "9 s"],
  [60_000, "1:00"],
  [245_000, "4:05"],
  [25_445_000, "7:04:05"],
])("counts %d ms down as %s", (ms, text) => expect(formatCountdown(ms)).toBe(text));

it("names a window by its length", () => {
  expect([60, 3_600, 86_400, 90].map(windowName)).toEqual([
    "Per minute",
    "Per hour",
    "Per day",
    "Per 1:30",
  ]);
});
