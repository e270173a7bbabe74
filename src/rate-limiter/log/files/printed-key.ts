import { hash } from "node:crypto";
import { closeSync, constants, futimesSync, readSync, writeSync } from "node:fs";
import { openPrivateFile } from "../../../platform/private-files.ts";
import type { Timestamp } from "../../rules/records.ts";
import { newsFor } from "../../rules/snapshot.ts";
import { logName } from "./segment-paths.ts";
import { readState } from "./segment.ts";
import { SharedFileLog } from "./shared-file-log.ts";

/** A command that prints the API key, and the profile that has it, in words. */
export interface KeyCommand {
  readonly from: string;
  readonly command: string;
}

interface PrintedKey {
  readonly origin: string;
  readonly apiKey: string;
  readonly keyCommand: KeyCommand;
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
    const last = readName(fd, own.length);
    const name = last === undefined || last === own ? own : shared;
    if (last !== undefined && last !== name)
      carryOver({ folder, from: last, to: name }, now, tickMs);
    // Of the same length, so that no reader finds a part of it.
    if (last !== name) writeSync(fd, name, 0);
    const seconds = now().wall / 1000;
    // A file that is used is not stale.
    futimesSync(fd, seconds, seconds);
    return name;
  } finally {
    closeSync(fd);
  }
}

/** Returns the name in a file; undefined if it is new or has something else. */
function readName(fd: number, length: number): string | undefined {
  const buffer = Buffer.alloc(length);
  const text = buffer.toString("latin1", 0, readSync(fd, buffer, 0, length, 0));
  return text.length === length && /^[\da-f]+$/.test(text) ? text : undefined;
}

/** Records in the log `to` the limits and the wait that the log `from` has and it has not. */
function carryOver(
  { folder, from, to }: { readonly folder: string; readonly from: string; readonly to: string },
  now: () => Timestamp,
  tickMs: number,
): void {
  const former = readState({ folder, name: from }, now());
  if (former === undefined) return;
  const log = new SharedFileLog({ folder, name: to }, now);
  const { uptime, ...rest } = now();
  // A record must never seem older than it is.
  const stamp = { ...rest, uptime: uptime + tickMs };
  for (const event of newsFor(log.state, former, uptime)) log.append({ stamp, event });
}
