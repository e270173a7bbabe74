import type { TypedOptions } from "../../../src/config/settings.ts";
import { resolveSettings, type Settings } from "../../../src/config/settings.ts";
import type { Environment } from "../../../src/platform/io.ts";

/** Returns the settings of typed options in an environment. */
export function settingsOf(typed: TypedOptions = {}, env: Environment = {}): Settings {
  return resolveSettings({ typed, env });
}

/** Returns the settings of a command line without options in an empty environment, with `changes`. */
export function settingsWith(changes: Partial<Settings> = {}): Settings {
  return { ...settingsOf(), ...changes };
}

const isVariable = ([name]: readonly [string, unknown]): boolean => name.startsWith("PETS_");

/** Returns the settings of options and, by names that begin with `PETS_`, variables. */
export function settingsFrom(given: TypedOptions): Settings {
  const all = Object.entries(given);
  const env = all.filter(isVariable).map(([name, value]) => [name, String(value)]);
  const options = all.filter((each) => !isVariable(each));
  return settingsOf(Object.fromEntries(options), Object.fromEntries(env));
}
