import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { SharedFileLog } from "../../../src/rate-limiter/log/shared-file-log.ts";
import { encodeLine } from "../../../src/rate-limiter/log/codec.ts";
import type { SegmentPaths } from "../../../src/rate-limiter/log/segment-paths.ts";
import type { LimiterEvent } from "../../../src/rate-limiter/log/records.ts";
import type { LimiterState } from "../../../src/rate-limiter/state.ts";
import { temporaryFolder } from "../../support/program.ts";
import { record, reserve, stamp } from "./records.ts";

/** The uptime at which these tests read and write, where they do not say. */
export const noon = 1_000_000;

/** The files of a log in a folder that is not there yet. */
export function newFiles(): SegmentPaths {
  return { folder: path.join(temporaryFolder(), "state", "gate"), name: "key" };
}

/** Opens the log `files`, as a process does that reads its clock at `at`. */
export function openLog(files: SegmentPaths, at = noon): SharedFileLog {
  return new SharedFileLog(files, () => stamp(at));
}

/** The path of a generation. */
export const fileOf = ({ folder, name }: SegmentPaths, generation: number): string =>
  path.join(folder, `${name}.${generation}`);

/** The names in the folder of `files`, in order. */
export const namesIn = ({ folder }: SegmentPaths): readonly string[] => readdirSync(folder).sort();

/** The highest generation. */
export function latestOf(files: SegmentPaths): number {
  return Math.max(...namesIn(files).map((name) => Number(name.split(".")[1])));
}

/** How many bytes all files of the folder have. */
export function bytesIn(files: SegmentPaths): number {
  return namesIn(files)
    .map((name) => statSync(path.join(files.folder, name)).size)
    .reduce((sum, size) => sum + size, 0);
}

/** Adds an event to `log`, at the moment at which it reads. */
export const add = (log: SharedFileLog, event: LimiterEvent): void =>
  log.append(record([noon, event]));

/** Adds an event to a generation as another process would, without a look at it. */
export function addBlindly(files: SegmentPaths, generation: number, event: LimiterEvent): void {
  appendFileSync(fileOf(files, generation), encodeLine(record([noon, event])));
}

/** Reserves `count` permits through `log`, with ids that begin with `tag`, and gives them back. */
export function work(log: SharedFileLog, count: number, tag = "w"): void {
  for (let turn = 0; turn < count; turn += 1) {
    add(log, reserve(`${tag}${turn}`));
    add(log, { kind: "release", id: `${tag}${turn}` });
  }
}

/** How many times a permit with the id `id` was asked for, by the files as they are. */
export function timesReserved(files: SegmentPaths, generation: number, id: string): number {
  return readFileSync(fileOf(files, generation), "latin1").split(`"${id}"`).length - 1;
}

/** What `state` comes to, as a value that can be compared, the order of its permits included. */
export function plain(state: LimiterState): unknown {
  return { ...state, permits: [...state.permits.values()] };
}
