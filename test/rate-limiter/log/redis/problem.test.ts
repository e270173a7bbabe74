import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import {
  forgetProblem,
  recentProblem,
  rememberProblem,
} from "../../../../src/rate-limiter/log/redis/problem.ts";
import { temporaryFolder } from "../../../support/program/program.ts";

const server = { url: "redis://here:1", username: "pets", password: "s3cret", database: 0 };

/** A memory, whose time is `clock.now`: this machine's clock may be wrong, and the file system's another. */
function makeMemory() {
  const clock = { now: Date.UTC(2040, 0, 1) };
  const folder = path.join(temporaryFolder(), "limiter");
  const memory = { folder, server };
  return { clock, memory, file: () => path.join(folder, readdirSync(folder)[0] ?? "") };
}

it("is remembered for 30 s by the processes of a user", () => {
  const { clock, memory, file } = makeMemory();
  expect(recentProblem(memory, clock.now)).toBeUndefined();
  rememberProblem(memory, "connection refused", clock.now);
  expect(recentProblem(memory, clock.now)).toBe("connection refused");
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  // Four digits of the credentials: too few to test a guess of the password with them.
  expect(path.basename(file())).toMatch(/^unusable-[0-9a-f]{16}-[0-9a-f]{4}$/);
  clock.now += 29_000;
  expect(recentProblem(memory, clock.now)).toBe("connection refused");
  clock.now += 2000;
  expect(recentProblem(memory, clock.now)).toBeUndefined();
});

it.each([
  ["URL", { url: "redis://there:1" }],
  ["user", { username: "other" }],
  ["password", { password: "other" }],
  ["database", { database: 1 }],
])("is not remembered for another %s", (_name, change) => {
  const { memory, clock } = makeMemory();
  rememberProblem(memory, "it rejected the password", clock.now);
  expect(recentProblem({ ...memory, server: { ...server, ...change } }, clock.now)).toBeUndefined();
});

it("is forgotten when a command is to try the server again", () => {
  const { memory, clock } = makeMemory();
  rememberProblem(memory, "connection refused", clock.now);
  forgetProblem(memory);
  expect(recentProblem(memory, clock.now)).toBeUndefined();
});

it("is not remembered if nothing can be written", () => {
  const memory = { folder: "/proc/none", server };
  const clock = { now: 0 };
  rememberProblem(memory, "connection refused", clock.now);
  expect(recentProblem(memory, clock.now)).toBeUndefined();
});
