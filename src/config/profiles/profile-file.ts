import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { isApiKey } from "../../core/api-key.ts";
import { isRecord } from "../../core/json/parse.ts";
import { limiterPasswords } from "../limiter-server.ts";
import { isProfileName } from "./name.ts";

/** Returns the path of the profile file in the program's config folder. */
export function profileFile(folder: string): string {
  return path.join(folder, "config.json");
}

const isText = (value: unknown) => typeof value === "string";

/** Returns the keys in the profile file, and the passwords of its limiters, to mask them in messages. */
export function storedSecrets(file: string): readonly string[] {
  const profiles = Object.values(peekProfiles(file)).filter(isRecord);
  const keys = profiles.map(({ apiKey }) => apiKey).filter(isText);
  const limiters = profiles.map(({ limiter }) => limiter).filter(isText);
  return [...keys.filter(isApiKey), ...limiters.flatMap(limiterPasswords)];
}

/** Returns the names of the profiles in the profile file, to complete them. */
export function storedNames(file: string): readonly string[] {
  return Object.keys(peekProfiles(file)).filter(isProfileName);
}

/** Returns the profiles in a file, unchecked; none if it can't be used. Never throws, and loads no package. */
function peekProfiles(file: string): Readonly<Record<string, unknown>> {
  try {
    // Reading a pipe or device might never end.
    const data: unknown = statSync(file).isFile() && JSON.parse(readFileSync(file, "utf8"));
    return isRecord(data) && isRecord(data.profiles) ? data.profiles : {};
  } catch {
    return {};
  }
}
