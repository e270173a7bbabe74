// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { LimitsView } from "../../../../src/server/page/app/limits.tsx";
import { show } from "./views.tsx";

const now = "2030-01-01T00:00:00.000Z";
const window = { seconds: 60, used: 3, limit: 10, resetAt: "2030-01-01T00:00:30.000Z" };
const key = {
  id: "abc",
  plan: "free",
  windows: [window, { ...window, seconds: 86_400, limit: null }],
};

it.each([
  [
    { waitUntil: null, bannedUntil: null },
    /^Limits 1free abcMinute3 of 10resets in \d+ sDay3 used, unlimited$/,
  ],
  [{ waitUntil: window.resetAt, bannedUntil: null }, /Rate limited for \d+ s/],
  [{ waitUntil: null, bannedUntil: "2030-01-01T00:10:00.000Z" }, /Banned for (?:9:\d\d|10:00)/],
])("shows a key with %j", async (state, expected) => {
  const { text } = await show(<LimitsView />, {
    "/_store/limits": { now, keys: [{ ...key, ...state }] },
  });
  expect(text()).toMatch(expected);
});
