// @vitest-environment happy-dom
import { expect, it, onTestFinished, vi } from "vitest";
import { stringifyExact } from "../../../../src/core/json/stringify.ts";
import { CheckCard } from "../../../../src/server/page/app/check.tsx";
import { check, feed } from "../../../../src/server/page/app/connection.ts";
import { withGap } from "../../../../src/server/page/app/feed.ts";
import { noVerdict } from "../../../support/servers/verdict.ts";
import { show } from "./views.tsx";

it.each([
  [{}, /^Check nothing found so far Early none Bans none Added twice none The whole report: pets/],
  [
    { early: 1 },
    /^Check failed Early 1 request sent before Retry-After elapsed Bans none .*forced/,
  ],
  [{ bans: 12_000 }, /^Check failed Early none Bans 12,000 Added twice none The whole/],
  [
    { duplicates: [{ name: 'a"\u202e', ids: [6, 9_223_372_036_854_775_807n] }] },
    /Added twice "a\\"\\u202e" \(ids 6, 9223372036854775807\) The/,
  ],
  [
    { duplicates: Array.from({ length: 12 }, (_, at) => ({ name: `n${at}`, ids: [at, at + 1] })) },
    /Added twice "n2" \(ids 2, 3\), .*"n11" \(ids 11, 12\), and 2 more The/,
  ],
])("shows what the check has found: %o", async (found, expected) => {
  const value = { ...noVerdict, ...found };
  const { root, settled } = await show(<CheckCard />, { "/_store/check": stringifyExact(value) });
  expect(root.textContent).toBe("");
  await settled(() => (check.value = value));
  const texts = [...root.querySelectorAll("h3, dt, dd, p")].map(({ textContent }) => textContent);
  expect(texts.join(" ").replace(/(?<=Check)/, " ")).toMatch(expected);
});

it("fetches it once requests have arrived, and rests 50 times as long as that took", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  let fetched = 0;
  const { settled, text } = await show(<CheckCard />, {
    get "/_store/check"() {
      now += 100;
      return { ...noVerdict, early: (fetched += 1) };
    },
  });
  const pass = (ms: number): Promise<void> =>
    settled(() => {
      now += ms;
      vi.advanceTimersByTime(1_000);
    });
  await pass(1_000);
  expect(fetched).toBe(0);
  check.value = noVerdict;
  await pass(1_000);
  expect(text()).toContain("1 request sent");
  feed.value = withGap(feed.value, 1);
  await pass(4_900);
  expect(fetched).toBe(1);
  await pass(101);
  expect(text()).toContain("2 requests sent");
  await pass(60_000);
  expect(fetched).toBe(2);
});
