import path from "node:path";
import type { Machine } from "../platform/io.ts";
import { isOwnFolder } from "../platform/private-files.ts";
import type { SegmentPaths } from "./log/files/segment-paths.ts";
import { readState } from "./log/files/segment.ts";
import type { Timestamp } from "./rules/records.ts";
import { expirePermits } from "./rules/reducer.ts";
import { type LimiterStatus, statusOf } from "./rules/status.ts";

/** Returns what is recorded in the log at the first of `places` that has one: makes, writes and connects to nothing. */
export function readStatus(
  places: readonly SegmentPaths[],
  now: Timestamp,
  { uid = -1 }: Pick<Machine, "uid">,
): LimiterStatus {
  for (const [index, files] of places.entries()) {
    // The second is in a folder of all users.
    const isUsable = index === 0 || isOwnFolder(path.dirname(files.folder), uid);
    const state = isUsable ? readState(files, now) : undefined;
    if (state === undefined) continue;
    expirePermits(state, now.uptime);
    return statusOf(state, now);
  }
  return { now: now.wall };
}
