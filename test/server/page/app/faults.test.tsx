// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { parseFaults } from "../../../../src/server/lab/fault-spec.ts";
import { connection, info, settings } from "../../../../src/server/page/app/connection.ts";
import {
  FaultsView,
  latencyText,
  shareText,
  toPercent,
} from "../../../../src/server/page/app/faults.tsx";
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
    await type("429: percent", "2.5");
    await type("plus or minus", "7");
    expect(sent.slice(1)).toEqual([
      `${path} {"change":"500:0"}`,
      `${path} {"change":"429:0.025"}`,
      `${path} {"latency":"200±7"}`,
    ]);
  });

  it("are refused in words where they are typed, and stay as they are", async () => {
    const { click, find, sent, type, text, settled } = await show(<FaultsView />);
    await settled(() => (settings.faults.value = { fault: "429:0.8,500:0.1", latency: "0" }));
    await type("500: percent", "80");
    expect(text()).toContain("the other faults take 80% of the requests, which leaves 20%");
    expect(find("input", "500: percent")).toHaveProperty("value", "10");
    await settled(() => (settings.faults.value = { fault: "429:1", latency: "0" }));
    await click("[role=switch]", "Hang");
    expect(isOn(find("[role=switch]", "Hang"))).toBe(false);
    expect(sent).toEqual([]);
  });

  it("show a failure until the store is live again", async () => {
    const { click, text, settled } = await show(<FaultsView />, { [path]: new Error("is odd") });
    await click("[role=switch]", "500");
    expect(text()).toContain("is odd");
    await settled(() => (connection.value = "lost"));
    await settled(() => (connection.value = "live"));
    expect(text()).not.toContain("is odd");
  });

  it("are off without a lab", async () => {
    const { text, settled } = await show(<FaultsView />);
    await settled(() => (info.value = info.value && { ...info.value, lab: false }));
    expect(text()).toContain("Faults are off");
    expect(text()).toContain("--lab");
  });
});

describe("the reset", () => {
  it.each([
    [
      3,
      "/data/store.db",
      "3 animals will be deleted from /data/store.db, including those added in earlier runs",
    ],
    [1, "memory", "1 animal will be deleted. This cannot"],
    [0, "memory", "There are no animals to delete"],
  ])("of %d animals in %s says what goes", async (pets, data, expected) => {
    const { click, sent, text, settled } = await show(<FaultsView />, {
      "/_store/state": { pets },
      "/_store/reset": {},
    });
    await settled(() => (info.value = info.value && { ...info.value, data }));
    await click("button", "Reset…");
    expect(text()).toContain(expected);
    await click("dialog .danger");
    expect(sent).toEqual(["/_store/reset "]);
  });
});

describe("the script", () => {
  const script = { steps: [{ on: "POST /pets", do: 503, times: 2, taken: 1 }] };

  it("says what is wrong with a step, and keeps the text", async () => {
    const answers = { "/_store/script": new Error("line 2: do must be …") };
    const { click, find, text, type, settled } = await show(<FaultsView />, answers);
    await settled(() => (settings.script.value = script));
    await type("Steps", "x");
    await click("button", "Use script");
    expect(text()).toContain("line 2: do must be …");
    expect(find("textarea")).toHaveProperty("value", "x");
  });
});

const problemOf = (make: () => string): string => {
  try {
    return make() && "";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
};

it.each([
  [0.07, "500:0.0007"],
  [0.00001, "500:0.0000001"],
  [33.3333, "500:0.333333"],
])("sets %d percent with %s, and shows it so", (percent, text) => {
  expect(shareText(new Map(), "500", percent)).toBe(text);
  expect(toPercent(parseFaults(text)?.get("500") ?? 0)).toBe(percent);
});

it.each([
  [20, /^$/],
  [0, /^$/],
  [20.5, /leaves 20%/],
  [-1, /from 0 to 100/],
  [101, /from 0 to 100/],
  [Number.NaN, /from 0 to 100/],
])("judges %d percent beside 80", (percent, expected) => {
  const shares = parseFaults("429:0.8,500:0.1") ?? new Map();
  expect(problemOf(() => shareText(shares, "500", percent))).toMatch(expected);
});

it.each([
  [{ ms: 0, jitter: 3_600_000 }, true],
  [{ ms: 1.5, jitter: 0 }, false],
  [{ ms: 0, jitter: 3_600_001 }, false],
])("takes the latency %j: %s", (latency, isValid) => {
  expect(problemOf(() => latencyText(latency)) === "").toBe(isValid);
});
