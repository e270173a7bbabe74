import { expect, it } from "vitest";
import { hideUserInfo } from "../../src/core/user-info.ts";

it.each([
  ['unknown "https://u:pw@h/v1"; and redis://:pw@h', 'unknown "https://…@h/v1"; and redis://…@h'],
  ["'http:////u:pw@host/v1'", "'http:////…@host/v1'"],
  ["http:/\\u:pw@host", "http:/\\…@host"],
  ["https:u:pw@h", "https:…@h"],
  ["--limiter=redis://u:p@ss/w@h", "--limiter=redis://…@h"],
  ["u:pw@h", "u:…@h"],
  ["https://token@h", "https://…@h"],
  // Cut off before the host.
  ['format "https://u:1234…"', 'format "https://…"'],
  ["https://h.example/@scope/v1 and https://h.example/cut…", undefined],
  ["the key …1234 of https://h, see https://h/v1. … me@x", undefined],
])("hides the user info in %j", (text, hidden = text) => {
  expect(hideUserInfo(text)).toBe(hidden);
});

it.each(["a", "a:", ":@", "https://", "é…"])("takes no long time for many %j", (piece) => {
  // Of this process, whatever else runs.
  const before = process.cpuUsage();
  hideUserInfo(`${piece.repeat(200_000)}@`);
  expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
});
