import path from "node:path";
import { openProfileStore, type ProfileStoreOptions } from "../../src/config/profiles/store.ts";
import type { ProfileStore, Settings } from "../../src/config/types.ts";
import { makeClock } from "../../src/platform/clock.ts";
import { temporaryFolder } from "../support/program.ts";

/** A profile store in a new folder, with the warnings that it gave. */
export interface TestStore extends ProfileStore {
  readonly folder: string;
  readonly warnings: readonly string[];
}

/** A profile store whose folder does not exist yet. */
export function testStore(options: Partial<ProfileStoreOptions> = {}): TestStore {
  const warnings: string[] = [];
  const folder = options.folder ?? path.join(temporaryFolder(), "config", "pets");
  const store = openProfileStore({
    folder,
    platform: "linux",
    clock: makeClock(() => process.hrtime.bigint()),
    random: Math.random,
    signal: new AbortController().signal,
    warn: async (text) => void warnings.push(text),
    ...options,
  });
  return { ...store, folder, warnings };
}

/** The settings of a command line without any option, in an empty environment, but for `changes`. */
export function settingsWith(changes: Partial<Settings> = {}): Settings {
  return {
    profile: undefined,
    baseUrl: undefined,
    apiKey: undefined,
    format: "table",
    formatAsked: false,
    fields: undefined,
    quiet: false,
    verbose: false,
    color: true,
    timeoutMs: 30_000,
    maxWaitMs: 75_000,
    allowHttp: false,
    ...changes,
  };
}
