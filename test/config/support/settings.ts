import { resolveSettings, type Settings } from "../../../src/config/settings.ts";

/** Returns the settings of a command line without options in an empty environment, with `changes`. */
export function settingsWith(changes: Partial<Settings> = {}): Settings {
  return { ...resolveSettings({}, {}), ...changes };
}

/** Returns the settings of options and, by names that begin with `PETS_`, variables. */
export function settingsFrom(given: Readonly<Record<string, unknown>>): Settings {
  const variables = Object.entries(given).filter(([name]) => name.startsWith("PETS_"));
  const env = Object.fromEntries(variables.map(([name, value]) => [name, String(value)]));
  return resolveSettings(given, env);
}
