import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { removeIf, writePrivateFile } from "../../../platform/private-files.ts";
import type { RedisServer } from "./connection.ts";

const rememberMs = 30_000;

/** Where the processes record that a server can't be used: for one URL and its credentials. */
export interface ProblemPlace {
  /** Undefined if the processes share none. */
  readonly folder: string | undefined;
  readonly server: Pick<RedisServer, "username" | "password" | "database"> & {
    readonly url: string;
  };
}

/** Returns why the server could not be used a moment before `now`; undefined if that is not recorded. */
export function recentProblem(place: ProblemPlace, now: number): string | undefined {
  try {
    const file = fileOf(place);
    // After a clock was set back, the record counts as old.
    if (Math.abs(now - statSync(file).mtimeMs) >= rememberMs) return undefined;
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Records why the server can't be used. If that fails, other processes try the server as well. */
export function rememberProblem(place: ProblemPlace, reason: string, now: number): void {
  try {
    writePrivateFile(fileOf(place), reason, now);
  } catch {
    // The folder can't be written to.
  }
}

/** Removes that record, so that the next process tries the server. */
export function forgetProblem(place: ProblemPlace): void {
  removeIf(fileOf(place), () => true);
}

function fileOf({ folder, server }: ProblemPlace): string {
  const { url, username, password, database } = server;
  const address = digestOf(url, database).slice(0, 16);
  // Too few digits to test a guess of the password with them.
  const who = digestOf(username, password).slice(0, 4);
  if (folder === undefined) throw new Error("no folder");
  return `${folder}/unusable-${address}-${who}`;
}

const digestOf = (...parts: readonly unknown[]): string => hash("sha256", JSON.stringify(parts));
