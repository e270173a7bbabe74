import { currentProfile, findProfile, withCurrent, withProfile } from "./profiles.ts";
import type { ProfileStore } from "../types.ts";

/** The profile that `pets serve` keeps (store.md, Starting it). */
export const localProfile = "local";

/**
 * Keeps base URL and key in the profile `local`, and makes it the current one only where none is.
 * Throws an io Failure when the profile file can't be read or written.
 */
export async function saveLocalProfile(
  store: ProfileStore,
  baseUrl: string,
  apiKey: string,
): Promise<void> {
  await store.update((data) => {
    const profile = { ...findProfile(data, localProfile), baseUrl, apiKey };
    const saved = withProfile(data, localProfile, profile);
    return currentProfile(data) === undefined ? withCurrent(saved, localProfile) : saved;
  });
}

/** The key in the profile `local`, if there is one. Throws an io Failure when the file can't be read. */
export async function localKey(store: ProfileStore): Promise<string | undefined> {
  return findProfile(await store.read(), localProfile)?.apiKey;
}
