import { readFileSync, statSync } from "node:fs";
import { asOwnerOf } from "../../platform/owner.ts";
import type { Profile } from "../types.ts";
import { isProfileFile } from "./profiles.ts";

/**
 * Returns the keys in the profile file, to mask them in an error. Never throws: a file that can't be
 * used has none. Unlike readProfileFile it changes nothing, and loads no package.
 */
export function storedKeys(file: string): readonly string[] {
  try {
    // Reading a pipe or device might never end.
    const text = asOwnerOf(file, () => statSync(file).isFile() && readFileSync(file, "utf8"));
    if (text === false) return [];
    const data: unknown = JSON.parse(text);
    const profiles = isProfileFile(data) ? (data.profiles ?? {}) : {};
    return Object.values(profiles).flatMap(({ apiKey }: Profile) => apiKey ?? []);
  } catch {
    return [];
  }
}
