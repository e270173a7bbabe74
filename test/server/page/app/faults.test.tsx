// @vitest-environment happy-dom
import { describe, expect, it, vi } from "vitest";
import { parseFaults } from "../../../../src/server/lab/fault-spec.ts";
import { info, settings } from "../../../../src/server/page/app/connection.ts";
import { FaultsView, shareText, toPercent } from "../../../../src/server/page/app/faults.tsx";
import { show } from "./views.tsx";

const path = "/_store/faults";
const isOn = (element: HTMLElement): boolean =>
  element instanceof HTMLInputElement && element.checked;

describe("the faults", () => {
  it("are changed one at a time, and show what the store says then", async () => {
    const inForce = { fault: "429:0.5,500:0.1", latency: "0" };
    const { click, find, sent, type } = await show(<FaultsView />, { [path]: inForce });
    await click("[role=switch]", "500");
    expect(sent).toEqual([`${path} {"change":"500:0.1"}`]);
    expect(isOn(find("[role=switch]", "429"))).toBe(true);
    await click("[role=switch]", "500");
    await type("429: %", "2.5");
    await type("latency: ms", "0.2s±7");
    expect(sent.slice(1)).toEqual([`${path} {"change":"500:0"}`, `${path} {"change":"429:0.025"}`]);
    await click("[role=switch]", "latency");
    expect(sent.slice(3)).toEqual([`${path} {"latency":"200±7"}`]);
  });

  it("are refused in words where they are typed, and stay as they are", async () => {
    const { click, find, sent, type, text, settled } = await show(<FaultsView />);
    await settled(() => (settings.faults.value = { fault: "429:0.8,500:0.1", latency: "0" }));
    await type("500: %", "80");
    expect(text()).toContain("Enter a percentage from 0 to 20, as the other faults take 80%.");
    expect(find("input", "500: %")).toHaveProperty("value", "80");
    await type("latency: ms", "soon");
    expect(text()).toContain(
      "Enter milliseconds or a duration up to 1h, such as 100, 100±50 or 5s.",
    );
    expect(find("input", "latency: ms")).toHaveProperty("value", "soon");
    await type("latency: ms", "");
    expect(text()).toContain("Enter milliseconds or a duration");
    await settled(() => (settings.faults.value = { fault: "429:1", latency: "0" }));
    await click("[role=switch]", "hang");
    expect(isOn(find("[role=switch]", "hang"))).toBe(false);
    expect(sent).toEqual([]);
  });

  it("are off without a lab", async () => {
    const { text, settled } = await show(<FaultsView />);
    await settled(() => (info.value = info.value && { ...info.value, lab: false }));
    expect(text()).toContain("Faults are off");
    expect(text()).toContain("--lab");
  });
});

it("says which animals a reset deletes, and can be cancelled", async () => {
  const { click, sent, settled } = await show(<FaultsView />, {
    "/_store/state": { pets: 3 },
    "/_store/reset": {},
  });
  await settled(() => (info.value = info.value && { ...info.value, data: "/a/x.db" }));
  const confirm = vi.fn<(text: string) => boolean>().mockReturnValueOnce(false);
  vi.stubGlobal("confirm", confirm.mockReturnValue(true));
  await click("button", "Reset…");
  expect(sent).toEqual([]);
  await click("button", "Reset…");
  expect(sent).toEqual(["/_store/reset "]);
  const lost = "3 animals will be deleted from /a/x.db, including those added in earlier runs.";
  expect(confirm).toHaveBeenCalledWith(`${lost} This cannot be undone.`);
});

it.each([
  [0.07, "500:0.0007"],
  [0.00001, "500:0.0000001"],
  [33.3333, "500:0.333333"],
])("sets %d percent with %s, and shows it so", (percent, text) => {
  expect(shareText(new Map(), "500", percent)).toBe(text);
  expect(toPercent(parseFaults(text)?.get("500") ?? 0)).toBe(percent);
});

it.each([100.5, -1, Number.NaN])("refuses %d percent", (percent) => {
  expect(() => shareText(new Map(), "500", percent)).toThrow("from 0 to 100.");
});

it("runs the clock on from what was announced, and refuses what is no time or duration", async () => {
  const { click, text, type, sent, settled } = await show(<FaultsView />);
  const clock = { now: "2030-12-05T00:00:00.000Z", frozen: false };
  const receivedAt = performance.now() - 61_000;
  await settled(() => (settings.clock.value = { ...clock, receivedAt }));
  expect(text()).toContain("2030-12-05T00:01:01Z");
  await settled(() => (settings.clock.value = { ...clock, frozen: true, receivedAt }));
  expect(text()).toContain("2030-12-05T00:00:00Z");
  await type("Move to", "yesterday");
  await click("button", "Move");
  expect(text()).toContain(
    "Enter + and a duration, such as +61s, a time in ISO 8601, freeze or run.",
  );
  expect(sent).toEqual([]);
});
