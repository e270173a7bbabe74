import path from "node:path";
import type { Machine } from "../platform/io.ts";
import { isOwnFolder } from "../platform/private-files.ts";
import { readState } from "./log/files/segment.ts";
import type { Timestamp } from "./rules/records.ts";
import { expirePermits } from "./rules/reducer.ts";
import { type LimiterStatus, statusOf } from "./rules/status.ts";

/** Returns what is recorded in the first of `folders` that has the log: makes, writes and connects to nothing. */
export function readStatus(
  folders: readonly string[],
  nameIn: (folder: string) => string | undefined,
  now: Timestamp,
  { uid = -1 }: Pick<Machine, "uid">,
): LimiterStatus {
  for (const [index, folder] of folders.entries()) {
    // The second is in a folder of all users.
    const isUsable = index === 0 || isOwnFolder(path.dirname(folder), uid);
    const name = isUsable ? nameIn(folder) : undefined;
    const state = name === undefined ? undefined : readState({ folder, name }, now);
    if (state === undefined) continue;
    expirePermits(state, now.uptime);
    return statusOf(state, now);
  }
  return { now: now.wall };
}
