import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ProfileData } from "../../../src/config/profiles/profiles.ts";
import {
  openProfileStore,
  type ProfileStoreOptions,
  type ProfileStore,
} from "../../../src/config/profiles/store.ts";
import { makeClock } from "../../../src/platform/clock.ts";
import { temporaryFolder } from "../../support/program/program.ts";

/** Opens a profile store in a new folder, with the warnings that it reports. */
export interface TestStore extends ProfileStore {
  readonly folder: string;
  readonly warnings: readonly string[];
}

/** Opens a profile store whose folder does not exist yet. */
export function testStore(options: Partial<ProfileStoreOptions> = {}): TestStore {
  const warnings: string[] = [];
  const folder = options.folder ?? path.join(temporaryFolder(), "config", "pets");
  const store = openProfileStore({
    folder,
    notices: path.join(folder, "../notices"),
    platform: "linux",
    clock: makeClock(() => process.hrtime.bigint()),
    random: Math.random,
    signal: new AbortController().signal,
    warn: async (text) => void warnings.push(text),
    ...options,
  });
  return { ...store, folder, warnings };
}

/** Opens a store whose file contains `text`. */
export function storeHolding(text: string | Uint8Array, mode = 0o600): TestStore {
  const store = testStore();
  mkdirSync(store.folder, { recursive: true, mode: 0o700 });
  writeFileSync(store.file, text);
  chmodSync(store.file, mode);
  return store;
}

/** Returns the permission bits of a file, in octal. */
export const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

export const shop = { baseUrl: "https://shop.example/v1", apiKey: "secret-key" };

/** Adds the profile `shop`. */
export const withShop = (data: ProfileData): ProfileData => ({
  ...data,
  profiles: { ...data.profiles, shop },
});

/** The program that writes profiles in a separate process. */
export const profileWriter = fileURLToPath(new URL("profile-writer.ts", import.meta.url));
