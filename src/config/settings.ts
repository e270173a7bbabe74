import { formsOf, type OptionDefinition, optionName } from "../core/command-line.ts";
import { usageFailure } from "../core/errors.ts";
import { parseChoice } from "../core/strings.ts";
import type { Environment } from "../platform/io.ts";
import {
  isSaved,
  isSwitch,
  type SavedSettings,
  type SettingDefinition,
  settingList,
  type SettingName,
  type SettingValues,
} from "./setting-table.ts";

/** All options of a command line as they were typed, by name. */
export type TypedOptions = Readonly<Record<string, unknown>>;

/** A value as it was given, and the flag, variable or profile that it came from, for messages. */
interface Given {
  readonly value: string | boolean;
  readonly from: string;
  /** Where that is, if `from` says more. */
  readonly place?: string;
}

type GivenSettings = { readonly [Name in SettingName]?: Given };

/** All settings, checked and merged. Those of a profile are among them only after `mergeProfile`. */
export interface Settings extends SettingValues {
  /** Those that are no defaults, as they were given. */
  readonly given: GivenSettings;
  /** Whether a flag or the environment asked for the format. */
  readonly formatAsked: boolean;
}

/**
 * Checks and merges options and environment: a flag, else its variable, else the default (`help profiles`).
 * An empty variable counts as unset. Throws a usage Failure that names the flag or variable, the value and what
 * is allowed.
 */
export function resolveSettings(typed: TypedOptions, env: Environment): Settings {
  const { json, output } = typed;
  if (json === true && output !== undefined && output !== "json")
    throw usageFailure(`--json and --output ${JSON.stringify(output)} cannot be used together`);
  const all = json === true ? { ...typed, output: "json" } : typed;
  const given = settingList.flatMap((setting) => {
    const found = typedValue(setting, all) ?? variableValue(setting, env);
    return found === undefined ? [] : [[setting.name, found] as const];
  });
  return merge(Object.fromEntries(given));
}

/** Returns `settings` with what the profile called `name` says where neither flag nor variable does. Throws likewise. */
export function mergeProfile(settings: Settings, name: string, saved: SavedSettings): Settings {
  return merge(givenWithProfile(settings, name, saved));
}

/** Returns what is given, by the profile too, unchecked. */
export function givenWithProfile(
  { given }: Settings,
  name: string,
  saved: SavedSettings,
): GivenSettings {
  const place = `profile ${name}`;
  const inProfile = settingList.flatMap(({ name: setting, saved: noun }) => {
    const value = isSaved(setting) ? saved[setting] : undefined;
    return value === undefined
      ? []
      : [[setting, { value, from: `the ${noun} of ${place}`, place }]];
  });
  const profile = { value: name, from: "current" };
  return { profile, ...Object.fromEntries(inProfile), ...given };
}

/** Returns those of the settings that a profile may have and that a flag gives, as they were typed. */
export function typedSettings({ given }: Settings): SavedSettings {
  return savedIn(
    Object.fromEntries(
      Object.entries(given).flatMap(([name, { value, from }]) =>
        from.startsWith("--") ? [[name, value]] : [],
      ),
    ),
  );
}

/** Returns the settings among the fields of a profile. */
export function savedIn(profile: object): SavedSettings {
  return Object.fromEntries(Object.entries(profile).filter(([field]) => isSaved(field)));
}

/** Returns the options of every command, or those of `pets login` alone, in the order of the help. */
export function settingOptions(of: "all" | "login"): readonly OptionDefinition[] {
  return settingList.flatMap(({ flags, isLoginFlag = false, ...setting }) =>
    flags === undefined || isLoginFlag !== (of === "login")
      ? []
      : [
          {
            flags,
            description: optionText(setting),
            ...(setting.values && { values: setting.values }),
          },
        ],
  );
}

function optionText({
  description,
  values,
  default: unless,
}: Omit<SettingDefinition, "flags">): string {
  const choices = values?.kind === "words" ? `: ${values.words.join(", ")}` : "";
  return `${description}${choices}${unless === undefined ? "" : ` (default ${unless})`}`;
}

/** Returns the variables of the settings, and what each means. */
export function settingVariables(): readonly (readonly [variable: string, meaning: string])[] {
  return settingList.flatMap(({ variable, flags, isLoginFlag, description }) => {
    if (variable === undefined) return [];
    if (flags === undefined) return [[variable, description] as const];
    const { long, takesValue } = formsOf({ flags });
    const like = isLoginFlag ? "" : `, like \`${long}\``;
    return [[variable, `${takesValue ? "" : "`1`: "}${description}${like}`] as const];
  });
}

/** Returns what a flag says; the `--no-profile` of `pets serve`, which is false, says nothing here. */
function typedValue(setting: SettingDefinition, typed: TypedOptions): Given | undefined {
  const { flags } = setting;
  if (flags === undefined) return undefined;
  const from = formsOf({ flags }).long;
  const value = typed[optionName(from)];
  if (typeof value === "boolean" && isSwitch(setting)) return { value, from };
  return typeof value === "string" ? { value, from } : undefined;
}

function variableValue({ variable = "" }: SettingDefinition, env: Environment): Given | undefined {
  const value = env[variable];
  return value?.trim() ? { value, from: variable } : undefined;
}

function merge(given: GivenSettings): Settings {
  const allowHttp = given.allowHttp !== undefined;
  const values = settingList.map((setting) => [
    setting.name,
    isSwitch(setting)
      ? switchValue(setting, given[setting.name])
      : textValue(setting, given[setting.name], allowHttp),
  ]);
  // `Object` returns `any`: no type follows each name to its value through a loop.
  return Object({
    ...Object.fromEntries(values),
    given,
    formatAsked: given.format !== undefined,
  });
}

/** Returns whether a switch is on; `--no-color` is on unless it is given. */
function switchValue({ flags }: SettingDefinition, given: Given | undefined): boolean {
  if (given === undefined) return flags?.startsWith("--no-") === true;
  const { value, from } = given;
  if (typeof value === "boolean") return value;
  if (value === "1" || value === "0") return value === "1";
  throw usageFailure(`${from} must be 1, or 0, not ${JSON.stringify(value)}`);
}

function textValue(
  setting: SettingDefinition,
  given: Given | undefined,
  allowHttp: boolean,
): unknown {
  const { values, parse } = setting;
  const text = given?.value ?? setting.default;
  if (typeof text !== "string") return undefined;
  const from = given?.from ?? "the default";
  if (parse !== undefined) return parse(text, from, allowHttp);
  return values?.kind === "words" ? parseChoice(text, values.words, from) : text;
}
