import { hash } from "node:crypto";
import { closeSync, constants, futimesSync, readFileSync, writeSync } from "node:fs";
import { ensurePrivateFolder, openPrivateFile } from "../../../platform/private-files.ts";
import type { Timestamp } from "../../rules/records.ts";
import { newsFor } from "../../rules/snapshot.ts";
import { logName } from "./segment-paths.ts";
import { readState } from "./segment.ts";
import { SharedFileLog } from "./shared-file-log.ts";

export interface CommandKey {
  readonly origin: string;
  readonly apiKey: string;
  /** The command that printed it, and the profile that has that, in words. */
  readonly keyCommand: { readonly from: string; readonly command: string };
}

/**
 * Returns the name of the log of a key that a command has printed: that of the key, which is the same from elsewhere, if
 * it printed this one before, or none; that of its profile if it printed another one. What is known in the log that it
 * used last goes with it. Throws the file system's errors.
 */
export function commandKeyLog(
  folder: string,
  { origin, apiKey, keyCommand }: CommandKey,
  now: () => Timestamp,
  tickMs: number,
): string {
  ensurePrivateFolder(folder);
  const own = logName(origin, apiKey);
  const file = fileOf(folder, origin, keyCommand);
  const fd = openPrivateFile(file, constants.O_RDWR | constants.O_CREAT);
  try {
    const text = readFileSync(fd, "latin1").slice(0, 2 * own.length + 1);
    const [last = own, used = own] = namesIn(text);
    const name = last === own ? own : logName(origin, keyCommand.from);
    const former = used === name ? undefined : readState({ folder, name: used }, now());
    if (former !== undefined) {
      const log = new SharedFileLog({ folder, name }, now);
      const { uptime, ...rest } = now();
      // A record must never seem older than it is.
      const stamp = { ...rest, uptime: uptime + tickMs };
      for (const event of newsFor(log.state, former, uptime)) log.append({ stamp, event });
    }
    const names = `${own} ${name}`;
    // Of the same length, so that no reader finds a part of it.
    if (text !== names) writeSync(fd, names, 0);
    const seconds = now().wall / 1000;
    // A file that is used is not stale.
    futimesSync(fd, seconds, seconds);
    return name;
  } finally {
    closeSync(fd);
  }
}

/** Returns the name of the log that the keys of a command used last, without running it; undefined if none is known. */
export function lastCommandKeyLog(
  folder: string,
  origin: string,
  keyCommand: CommandKey["keyCommand"],
): string | undefined {
  try {
    return namesIn(readFileSync(fileOf(folder, origin, keyCommand), "latin1"))[1];
  } catch {
    return undefined;
  }
}

/** Returns the name of the last key's own log, and that of the log that was used for it; none if the text is not ours. */
function namesIn(text: string): readonly string[] {
  return /^([\da-f]{32}) ([\da-f]{32})/.exec(text)?.slice(1) ?? [];
}

function fileOf(folder: string, origin: string, { from, command }: CommandKey["keyCommand"]) {
  const source = hash("sha256", JSON.stringify([origin, from, command])).slice(0, 16);
  return `${folder}/command-${source}`;
}
