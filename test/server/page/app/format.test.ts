import { expect, it } from "vitest";
import { formatCountdown, formatMs, windowName } from "../../../../src/server/page/app/format.ts";

it.each([
  [-5, "0 s"],
  [8_001, "9 s"],
  [60_000, "1:00"],
  [245_000, "4:05"],
  [25_445_000, "7:04:05"],
])("counts %d ms down as %s", (ms, text) => expect(formatCountdown(ms)).toBe(text));

it.each([
  [0.4, "0.4 ms"],
  [12.3, "12 ms"],
  [1_549, "1.5 s"],
])("writes %d ms as %s", (ms, text) => expect(formatMs(ms)).toBe(text));

it.each([
  [60, "Minute"],
  [3_600, "Hour"],
  [86_400, "Day"],
  [2, "2 s"],
  [90, "1:30"],
])("calls a window of %d s %s", (seconds, name) => expect(windowName(seconds)).toBe(name));
