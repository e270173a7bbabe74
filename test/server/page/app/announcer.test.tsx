import { act } from "preact/test-utils";
// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { Announcer } from "../../../../src/server/page/app/announcer.tsx";
import { feed } from "../../../../src/server/page/app/connection.ts";
import { withRates } from "../../../../src/server/page/app/feed.ts";
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
    .toBe("2,000 requests: 1,999 succeeded, 1 rate limited");
});
