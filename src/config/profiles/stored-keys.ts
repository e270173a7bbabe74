import { readFileSync, statSync } from "node:fs";
import { asOwnerOf } from "../../platform/owner.ts";
import { isProfileName } from "./name.ts";
import { isProfileFile, type Profile } from "./profiles.ts";

/** Returns the keys in the profile file, to mask them in an error. */
export function storedKeys(file: string): readonly string[] {
  return Object.values(peekProfiles(file)).flatMap(({ apiKey }) => apiKey ?? []);
}

/** Returns the names of the profiles in the profile file, to complete them. */
export function storedNames(file: string): readonly string[] {
  return Object.keys(peekProfiles(file)).filter(isProfileName);
}

/**
 * Returns the profiles in the profile file. Never throws: a file that can't be used has none. Unlike
 * readProfileFile it changes nothing, and loads no package.
 */
function peekProfiles(file: string): Readonly<Record<string, Profile>> {
  try {
    // Reading a pipe or device might never end.
    const text = asOwnerOf(file, () => statSync(file).isFile() && readFileSync(file, "utf8"));
    const data: unknown = text === false ? undefined : JSON.parse(text);
    return isProfileFile(data) ? (data.profiles ?? {}) : {};
  } catch {
    return {};
  }
}
