import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { FileLog } from "../../../src/gate/file-log.ts";
import { recordLine } from "../../../src/gate/line.ts";
import type { LogFiles } from "../../../src/gate/log-files.ts";
import type { GateEvent } from "../../../src/gate/records.ts";
import type { GateState } from "../../../src/gate/state.ts";
import { temporaryFolder } from "../../support/program.ts";
import { record, reserve, stamp } from "./records.ts";

/** The uptime at which these tests read and write, where they do not say. */
export const noon = 1_000_000;

/** The files of a log in a folder that is not there yet. */
export function newFiles(): LogFiles {
  return { folder: path.join(temporaryFolder(), "state", "gate"), name: "key" };
}

/** Opens the log `files`, as a process does that reads its clock at `at`. */
export function openLog(files: LogFiles, at = noon): FileLog {
  return new FileLog(files, () => stamp(at));
}

/** The path of a generation. */
export const fileOf = ({ folder, name }: LogFiles, generation: number): string =>
  path.join(folder, `${name}.${generation}`);

/** The names in the folder of `files`, in order. */
export const namesIn = ({ folder }: LogFiles): readonly string[] => readdirSync(folder).sort();

/** The highest generation. */
export function latestOf(files: LogFiles): number {
  return Math.max(...namesIn(files).map((name) => Number(name.split(".")[1])));
}

/** How many bytes all files of the folder have. */
export function bytesIn(files: LogFiles): number {
  return namesIn(files)
    .map((name) => statSync(path.join(files.folder, name)).size)
    .reduce((sum, size) => sum + size, 0);
}

/** Adds an event to `log`, at the moment at which it reads. */
export const add = (log: FileLog, event: GateEvent): void => log.append(record([noon, event]));

/** Adds an event to a generation as another process would, without a look at it. */
export function addBlindly(files: LogFiles, generation: number, event: GateEvent): void {
  appendFileSync(fileOf(files, generation), recordLine(record([noon, event])));
}

/** Reserves `count` places through `log`, with ids that begin with `tag`, and gives them back. */
export function work(log: FileLog, count: number, tag = "w"): void {
  for (let turn = 0; turn < count; turn += 1) {
    add(log, reserve(`${tag}${turn}`));
    add(log, { kind: "release", id: `${tag}${turn}` });
  }
}

/** How many times a place with the id `id` was asked for, by the files as they are. */
export function timesReserved(files: LogFiles, generation: number, id: string): number {
  return readFileSync(fileOf(files, generation), "latin1").split(`"${id}"`).length - 1;
}

/** What `state` comes to, as a value that can be compared, the order of its places included. */
export function plain(state: GateState): unknown {
  return { ...state, places: [...state.places.values()] };
}
