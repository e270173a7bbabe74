import { appendFileSync, existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { encodeLogRecord } from "../../../src/rate-limiter/log/codec.ts";
import type { SegmentPaths } from "../../../src/rate-limiter/log/files/segment-paths.ts";
import { SharedFileLog } from "../../../src/rate-limiter/log/files/shared-file-log.ts";
import type { LimiterEvent } from "../../../src/rate-limiter/rules/records.ts";
import type { LimiterState } from "../../../src/rate-limiter/rules/state.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { record, release, reserve, stamp } from "./records.ts";

/** The uptime at which these tests read and write. */
export const noon = 1_000_000;

/** Returns the files of a log in a folder that does not exist yet. */
export function newFiles(): SegmentPaths {
  return { folder: path.join(temporaryFolder(), "state", "limiter"), name: "key" };
}

/** Opens the log `files` at noon. */
export const openLog = (files: SegmentPaths) => new SharedFileLog(files, () => stamp(noon));

/** Returns the path of a generation. */
export const fileOf = ({ folder, name }: SegmentPaths, generation: number): string =>
  path.join(folder, `${name}.${generation}`);

/** Returns the names in the folder of `files`, in order. */
export const namesIn = ({ folder }: SegmentPaths): readonly string[] => readdirSync(folder).sort();

/** Returns the highest generation. */
export function latestOf(files: SegmentPaths): number {
  return Math.max(...namesIn(files).map((name) => Number(name.split(".")[1])));
}

/** Returns the total size of all files of the folder, in bytes. */
export function bytesIn(files: SegmentPaths): number {
  const sizes = namesIn(files).map((name) => statSync(path.join(files.folder, name)).size);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns what is below `folder`, with sizes and times: whether anything was written there. */
export function treeOf(folder: string): unknown {
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
  return ["", ...entries.map(String).sort()].map((name) => {
    const stats = statSync(path.join(folder, name), { throwIfNoEntry: false });
    return [name, stats?.size, stats?.mtimeMs, stats?.mode];
  });
}

/** Adds an event to `log`, at its current time. */
export const add = (log: SharedFileLog, event: LimiterEvent): void =>
  log.append(record([noon, event]));

/** Adds an event to a generation like another process, without reading it. */
export function addBlindly(files: SegmentPaths, generation: number, event: LimiterEvent): void {
  appendFileSync(fileOf(files, generation), encodeLogRecord(record([noon, event])));
}

/** Reserves `count` permits through `log`, and releases them. */
export function work(log: SharedFileLog, count: number): void {
  for (let turn = 0; turn < count; turn += 1) {
    add(log, reserve(`w${turn}`));
    add(log, release(`w${turn}`));
  }
}

/** Returns `state` as a value that can be compared, including the order of its permits. */
export function plain(state: LimiterState): unknown {
  return { ...state, permits: [...state.permits.values()] };
}
