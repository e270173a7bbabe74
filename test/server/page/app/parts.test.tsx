import { act } from "preact/test-utils";
// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { feed } from "../../../../src/server/page/app/connection.ts";
import { withRates } from "../../../../src/server/page/app/feed.ts";
import { Announcer, formatMs } from "../../../../src/server/page/app/parts.tsx";
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

it.each([
  [0.4, "0.4 ms"],
  [12.3, "12 ms"],
  [1_549, "1.5 s"],
])("writes %d ms as %s", (ms, text) => expect(formatMs(ms)).toBe(text));
