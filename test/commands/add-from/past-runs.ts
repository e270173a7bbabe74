import path from "node:path";
import { addressHash } from "../../../src/imports/journal/open.ts";
import type { Row } from "../../../src/imports/types.ts";
import type { OriginalCommand } from "../../../src/commands/add-from/display/summary.ts";
import type { ValidatedInput } from "../../../src/commands/add-from/input.ts";
import type { FromOptions } from "../../../src/commands/add-from/options.ts";
import type { Context } from "../../../src/commands/context.ts";
import type { PetStatus } from "../../../src/core/pet-rules.ts";
import { limiterId } from "../../../src/rate-limiter/log/files/segment-paths.ts";
import { fingerprintsOf, type PastRun, run, writeRun } from "../../imports/support/runs.ts";
import { importInput } from "./import-input.ts";
import { temporaryFolder } from "../../support/program/program.ts";

export const baseUrl = new URL("https://shop.example/v1");
export const apiKey = "pk_1";
export const now = Date.UTC(2026, 10, 20);
/** The command line of the run. */
export const original: OriginalCommand = {
  argv: ["add", "--from", "new.csv"],
  isReadOnce: false,
  platform: "linux",
};

/** The hash of the key of the run itself, and of another one. */
export const ownKey = limiterId(baseUrl.origin, apiKey);
export const otherKey = "f".repeat(32);

/** Returns an input whose animals are named by one letter each, in batches of four rows. */
export function memoryInput(pets: string, status?: PetStatus): ValidatedInput {
  const rows: Row[] = Array.from(pets, (name, index) => ({
    index,
    line: index + 2,
    pet: { name, categoryId: 1n, ...(status !== undefined && { status }) },
  }));
  return {
    name: "new.csv",
    isReadOnce: false,
    async *rows() {
      for (let from = 0; from < rows.length; from += 4) yield rows.slice(from, from + 4);
    },
    close() {},
    content: pets,
    count: rows.length,
    invalid: 0,
    fingerprints: fingerprintsOf(pets),
    widths: { name: 0, categoryId: 0, status: 0 },
  };
}

/** Returns a context with an empty folder for journals, and its notes. */
export function emptyContext() {
  const state = temporaryFolder();
  const notes: string[] = [];
  const context = {
    folders: { state },
    clock: { now: () => now },
    note: async (line: string) => void notes.push(line),
  } as unknown as Context;
  /** Writes a run of another input, at the same address and with the same key. */
  const past = (pets: string, ends: string, more: Partial<PastRun> = {}): void =>
    writeRun({
      folder: path.join(state, "bulk"),
      key: ownKey,
      address: addressHash(baseUrl),
      at: now - 3_600_000,
      ...run("1", pets, ends, more),
    });
  return { context, notes, past };
}

/** Returns the checked flags besides `--from`. */
export function optionsWith(flags: object = {}): FromOptions {
  return importInput(flags);
}
