import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { TypedOptions } from "../../../src/cli/program.ts";
import { addGlobalOptions, resolveSettings, type Settings } from "../../../src/config/settings.ts";
import type { Environment } from "../../../src/platform/io.ts";

/** Returns a command for which `options` were typed. */
export function commandWith(options: TypedOptions): CommandUnknownOpts {
  const command = new Command("pets");
  addGlobalOptions(command, "1");
  for (const [name, value] of Object.entries(options))
    command.setOptionValueWithSource(name, value, "cli");
  return command;
}

/** Returns the settings of typed options in an environment. */
export function settingsOf(options: TypedOptions = {}, env: Environment = {}): Settings {
  return resolveSettings(commandWith(options), env);
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
