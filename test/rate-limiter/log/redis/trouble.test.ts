import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { recentTrouble, rememberTrouble } from "../../../../src/rate-limiter/log/redis/trouble.ts";
import { temporaryFolder } from "../../../support/program/program.ts";

it("is remembered for 30 s by the processes of a user, for one server", () => {
  const folder = path.join(temporaryFolder(), "gate");
  // This machine's clock may be wrong, and the file system's may be a different one.
  let now = Date.UTC(2040, 0, 1);
  const memory = { folder, server: "redis://here:1", now: () => now };
  expect(recentTrouble(memory)).toBeUndefined();
  rememberTrouble(memory, "connection refused");
  expect(recentTrouble(memory)).toBe("connection refused");
  expect(recentTrouble({ ...memory, server: "redis://there:1" })).toBeUndefined();
  const file = path.join(folder, readdirSync(folder)[0] ?? "");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  now += 29_000;
  expect(recentTrouble(memory)).toBe("connection refused");
  now += 2000;
  expect(recentTrouble(memory)).toBeUndefined();
});

it("is forgotten if nothing can be written", () => {
  const memory = { folder: "/proc/none", server: "redis://here:1", now: () => 0 };
  rememberTrouble(memory, "connection refused");
  expect(recentTrouble(memory)).toBeUndefined();
});
