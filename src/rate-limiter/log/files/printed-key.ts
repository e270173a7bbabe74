import { hash } from "node:crypto";
import { closeSync, constants, futimesSync, readFileSync, writeSync } from "node:fs";
import { openPrivateFile } from "../../../platform/private-files.ts";
import type { Timestamp } from "../../rules/records.ts";
import { newsFor } from "../../rules/snapshot.ts";
import { logName } from "./segment-paths.ts";
import { readState } from "./segment.ts";
import { SharedFileLog } from "./shared-file-log.ts";

export interface PrintedKey {
  readonly origin: string;
  readonly apiKey: string;
  /** The command that printed it, and the profile that has that, in words. */
  readonly keyCommand: { readonly from: string; readonly command: string };
}

/**
 * Returns the name of the log of a key that a command has printed: that of the key, which is the same from elsewhere,
 * until the command prints another one; from then on that of its profile, which first gets what is known of the former
 * key. A file in `folder` has the name that was used last. Throws the file system's errors.
 */
export function printedKeyLog(
  folder: string,
  { origin, apiKey, keyCommand: { from, command } }: PrintedKey,
  now: () => Timestamp,
  tickMs: number,
): string {
  const [own, shared] = [logName(origin, apiKey), logName(origin, from)];
  const source = hash("sha256", JSON.stringify([origin, from, command])).slice(0, 16);
  const fd = openPrivateFile(`${folder}/printed-${source}`, constants.O_RDWR | constants.O_CREAT);
  try {
    const text = readFileSync(fd, "latin1").slice(0, own.length);
    const last = /^[\da-f]{32}$/.test(text) ? text : own;
    const name = last === own ? own : shared;
    const former = last === name ? undefined : readState({ folder, name: last }, now());
    if (former !== undefined) {
      const log = new SharedFileLog({ folder, name }, now);
      const { uptime, ...rest } = now();
      // A record must never seem older than it is.
      const stamp = { ...rest, uptime: uptime + tickMs };
      for (const event of newsFor(log.state, former, uptime)) log.append({ stamp, event });
    }
    // Of the same length, so that no reader finds a part of it.
    if (text !== name) writeSync(fd, name, 0);
    const seconds = now().wall / 1000;
    // A file that is used is not stale.
    futimesSync(fd, seconds, seconds);
    return name;
  } finally {
    closeSync(fd);
  }
}
