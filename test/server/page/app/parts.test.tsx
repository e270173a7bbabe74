import { act } from "preact/test-utils";
// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { feed } from "../../../../src/server/page/app/connection.ts";
import { withRates } from "../../../../src/server/page/app/feed.ts";
import { Announcer, formatMs, LongText } from "../../../../src/server/page/app/parts.tsx";
import { show } from "./views.tsx";

it("tells every 2 s at most how many requests ended, and how", async () => {
  const { root } = await show(<Announcer />);
  await act(() => undefined);
  const status = root.querySelector("[role=status]");
  const second = Math.floor(Date.now() / 1000);
  const seconds = [[second + 1, { ok: 1_999, limited: 1 }]] as const;
  feed.value = withRates(feed.value, { now: Date.now(), seconds });
  expect(status?.textContent).toBe("");
  await expect
    .poll(() => act(() => undefined).then(() => status?.textContent), { timeout: 6_000 })
    .toBe("2,000 requests: 1,999 succeeded (2xx), 1 rate limited (429)");
});

it("cuts a long text after three lines, with the rest on demand", async () => {
  const { click, root } = await show(<LongText text={"x".repeat(60_000)} />);
  const shown = (): number => root.querySelector("bdi")?.textContent.length ?? 0;
  expect(shown()).toBeLessThan(1_000);
  await click("button", "Show all 60,000 characters");
  expect(shown()).toBe(60_000);
  await click("button", "Show less");
  expect(shown()).toBeLessThan(1_000);
});

it.each([
  [0.4, "0.4 ms"],
  [12.3, "12 ms"],
  [1_549, "1.5 s"],
])("writes %d ms as %s", (ms, text) => expect(formatMs(ms)).toBe(text));
