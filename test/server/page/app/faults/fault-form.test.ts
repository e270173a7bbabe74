import { expect, it } from "vitest";
import { formTexts, readForm } from "../../../../../src/server/page/app/faults/fault-form.ts";

it.each([
  { fault: "", latency: "" },
  { fault: "429:0.1,hang:0.025", latency: "200±50" },
  { fault: "500:1", latency: "7±0" },
  { fault: "reset:0.0001", latency: "0±5" },
])("writes %j as it was read", (texts) => {
  expect(formTexts(readForm(texts))).toEqual(texts);
});

it("reads the texts of the store", () => {
  const form = readForm({ fault: "429:0.1", latency: "0" });
  expect(form.faults[429]).toEqual({ isOn: true, percent: 10 });
  expect(form.latency.isOn).toBe(false);
  expect(readForm({ fault: "", latency: "250" }).latency).toEqual({
    isOn: true,
    ms: 250,
    jitter: 0,
  });
});

it("keeps the numbers of a switch that is off", () => {
  const before = readForm({ fault: "hang:0.3", latency: "9±2" });
  const form = readForm({ fault: "", latency: "0" }, before);
  expect(form.faults.hang).toEqual({ isOn: false, percent: 30 });
  expect(form.latency).toEqual({ isOn: false, ms: 9, jitter: 2 });
});
