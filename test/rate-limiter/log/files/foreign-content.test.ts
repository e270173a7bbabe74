import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { decide } from "../../../../src/rate-limiter/rules/decision.ts";
import { add, fileOf, newFiles, noon, openLog } from "../../support/files.ts";
import { startedAt } from "../../support/records.ts";

const now = { wall: startedAt + noon, uptime: noon };
const boot = "boot";
const lines = (...rows: readonly unknown[]): string =>
  rows.map((row) => `\n${JSON.stringify(row)}`).join("");

const contents: readonly (readonly [string, () => string | Buffer])[] = [
  ["nothing", () => ""],
  ["random bytes", () => randomBytes(5000)],
  ["very many random bytes", () => randomBytes(900_000)],
  ["zeros", () => Buffer.alloc(4000)],
  ["one long line", () => "[".repeat(100_000)],
  [
    "JSON of other shapes",
    () => lines({ a: 1 }, null, [], [[]], ["begin", 1], ["begin"], ["reply"], [[["begin"]]]),
  ],
  [
    "records that are no records",
    () => lines(["begin"], ["block", 1, 2, 3], ["seal"], ["reserve", "", -1, 0, "a", 1]),
  ],
  [
    "records from the future",
    () => {
      const [uptime, wall] = [now.uptime + 1e9, now.wall + 1e9];
      return lines(
        ["begin"],
        ["block", boot, uptime, wall, 429, 1e8, 3],
        ["block", "other", 1, wall, 429, 1e8, 3],
      );
    },
  ],
  [
    "records of another age",
    () =>
      lines(
        ["begin"],
        ["block", "other", now.uptime, now.wall - 1e9, 429, 1e8, 3],
        ["uncounted", "other", 1, 1, 1e15],
      ),
  ],
  ["a seal and nothing behind it", () => lines(["begin"], ["seal", boot, now.uptime, now.wall])],
];

it.each(contents)("a file of %s holds nobody up, and the log goes on", (_what, make) => {
  const files = newFiles();
  mkdirSync(files.folder, { recursive: true });
  writeFileSync(fileOf(files, 1), make());
  const log = openLog(files);
  expect(decide(log.state, noon)).toMatchObject({ go: true });
  add(log, { kind: "reserve", id: "own", pid: 1, lifeMs: 1000 });
  expect(openLog(files).state.permits.has("own")).toBe(true);
});
