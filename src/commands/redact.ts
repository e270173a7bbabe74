import { profileFile, storedKeys } from "../config/profiles/stored-keys.ts";
import { type TypedOptions, usesProfile } from "../config/settings.ts";
import { makeSecretMask, type SecretMask } from "../core/secrets.ts";
import { hideUserInfo } from "../core/user-info.ts";
import { programFolders } from "../platform/paths.ts";
import type { Runtime } from "./runtime.ts";

/** A shorter key, which text may contain by chance, is masked only if it was typed. */
const minUnmistakableLength = 12;

/** Returns what hides the keys of this user, and passwords in URLs, in a text: someone may have typed one anywhere. */
export function createRedactor(runtime: Runtime, typed: TypedOptions): (text: string) => string {
  let mask: SecretMask | undefined;
  return (text) => {
    mask ??= makeSecretMask(knownKeys(runtime, typed), { hasStoreKeys: true });
    return hideUserInfo(mask(text));
  };
}

function knownKeys({ argv, env, program }: Runtime, typed: TypedOptions): readonly string[] {
  const { config } = programFolders(env, program.platform);
  const stored = usesProfile({ typed, env }) ? storedKeys(profileFile(config)) : [];
  const own = [env.PETS_API_KEY, env.PETS_SERVE_KEY].map((key) => key?.trim() ?? "");
  return [...own, ...stored].filter(
    (key) =>
      key.length >= minUnmistakableLength ||
      (key !== "" && argv.some((word) => word.includes(key))),
  );
}
