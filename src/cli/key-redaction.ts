import path from "node:path";
import type { Runtime } from "../commands/context.ts";
import { storedKeys } from "../config/profiles/stored-keys.ts";
import { makeSecretMask } from "../core/secret-mask.ts";
import { programFolders } from "../platform/paths.ts";
import type { TypedOptions } from "./program.ts";

/**
 * A key of this length is masked wherever it appears; a shorter one, which text may contain by chance, only if
 * it was typed.
 */
const unmistakableLength = 12;

/**
 * Returns a function that masks API keys in the text of an error: someone may have given one as an id or
 * a name. It masks the keys of the environment and of the profiles, and anything that looks like a key made by
 * `pets serve`.
 */
export function keyRedaction(
  { argv, env, program }: Pick<Runtime, "argv" | "env" | "program">,
  globals: TypedOptions,
): (text: string) => string {
  const own = env.PETS_API_KEY?.trim() ?? "";
  const served = env.PETS_SERVE_KEY?.trim() ?? "";
  const hasBaseUrl = Boolean(globals.baseUrl ?? env.PETS_BASE_URL);
  const folder = programFolders(env, program.platform).config;
  // If key and base URL both come from elsewhere, the profile file is not read.
  const stored = own !== "" && hasBaseUrl ? [] : storedKeys(path.join(folder, "config.json"));
  const keys = [own, served, ...stored].filter(
    (key) =>
      key.length >= unmistakableLength || (key !== "" && argv.some((word) => word.includes(key))),
  );
  return makeSecretMask(keys, { hasStoreKeys: true });
}
