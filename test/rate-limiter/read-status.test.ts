import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { SegmentPaths } from "../../src/rate-limiter/log/files/segment-paths.ts";
import { readStatus } from "../../src/rate-limiter/read-status.ts";
import { temporaryFolder } from "../support/program/program.ts";
import { add, fileOf, latestOf, noon, openLog, treeOf, work } from "./support/files.ts";
import { ok, refused, reserve, stamp } from "./support/records.ts";

const now = stamp(noon);
const user = { uid: process.getuid?.() };
const nothing = { now: now.wall };
const window = { limit: 10, remaining: 7 };
const blocked = { condition: { go: false, reason: "blocked", status: 429, ms: 9000 } };

/** Records a window in a log. */
const recordWindow = (files: SegmentPaths): void => add(openLog(files), ok("a", 7));

/** Records a wait in a log. */
const recordWait = (files: SegmentPaths): void => add(openLog(files), refused("a", 9000));

const spoil = (text: string) => (files: SegmentPaths) => {
  mkdirSync(files.folder, { recursive: true });
  writeFileSync(fileOf(files, 1), text);
};

const rotate = (files: SegmentPaths): void => {
  recordWait(files);
  work(openLog(files), 100);
  expect(latestOf(files)).toBeGreaterThan(1);
  // A process was killed before it wrote the first line of the next one.
  writeFileSync(fileOf(files, latestOf(files) + 1), "");
};

const open = (files: SegmentPaths): void => {
  recordWindow(files);
  chmodSync(path.dirname(files.folder), 0o755);
};

const forbid = (files: SegmentPaths): void => {
  recordWait(files);
  chmodSync(fileOf(files, 1), 0o400);
  chmodSync(files.folder, 0o500);
};

it.each<[string, (files: SegmentPaths) => void, (files: SegmentPaths) => void, object]>([
  ["nothing, of missing directories", () => {}, () => {}, nothing],
  ["the log in the state directory", recordWait, recordWindow, blocked],
  ["else the one in the temporary directory", () => {}, recordWindow, window],
  ["that one too if the file is no log", spoil("\n\0{]\n"), recordWindow, window],
  ["that one too if the file is empty", spoil(""), recordWindow, window],
  ["that one too if the file is far too large", spoil("x".repeat(2e6)), recordWindow, window],
  ["nothing of files that are no logs", spoil("[]"), spoil("\n[]"), nothing],
  ["nothing of a temporary directory that others can use", () => {}, open, nothing],
  ["the latest file of a log", rotate, () => {}, blocked],
  ["files that can't be written", forbid, () => {}, blocked],
])("reads %s, and changes nothing", (_name, inState, inTemporary, expected) => {
  const root = temporaryFolder();
  const [state, temporary] = ["state", "temporary"].map((folder) => {
    return { folder: path.join(root, folder, "limiter"), name: "key" };
  });
  if (state === undefined || temporary === undefined) throw new Error("no places");
  inState(state);
  inTemporary(temporary);
  const before = treeOf(root);
  expect(readStatus([state.folder, temporary.folder], () => "key", now, user)).toMatchObject(
    expected,
  );
  expect(treeOf(root)).toEqual(before);
});

it("counts requests that have expired as sent", () => {
  const files = { folder: path.join(temporaryFolder(), "limiter"), name: "key" };
  const log = openLog(files);
  for (const id of ["a", "b", "c", "d", "e"]) add(log, reserve(id, 1000));
  expect(readStatus([files.folder], () => "key", now, user)).toMatchObject({
    condition: { reason: "learning" },
  });
  expect(readStatus([files.folder], () => "key", stamp(noon + 1001), user)).not.toHaveProperty(
    "condition",
  );
});

it("reads no temporary directory that others can use, even if the state directory has no name", () => {
  const [state, temporary] = ["state", "temporary"].map((name) =>
    path.join(temporaryFolder(), name),
  );
  const files = { folder: `${temporary}/limiter`, name: "key" };
  open(files);
  const nameIn = (folder: string) => (folder === files.folder ? files.name : undefined);
  expect(readStatus([`${state}/limiter`, files.folder], nameIn, now, user)).toEqual(nothing);
});
