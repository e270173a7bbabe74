import { type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { parseApiKey } from "../core/api-key.ts";
import { type OutputFormatName, outputFormatNames } from "../core/enums.ts";
import { usageFailure } from "../core/errors.ts";
import { oneOf, problemIn } from "../core/syntax.ts";
import { parseDuration } from "../core/times.ts";
import type { Environment } from "../platform/io.ts";
import { parseBaseUrl } from "./base-url.ts";
import { limiterPasswords, parseLimiterUrl } from "./limiter-server.ts";
import { parseProfileName } from "./profiles/name.ts";

/** The settings in a profile, as they were given. */
export interface SavedSettings {
  readonly baseUrl?: string;
  readonly limiter?: string;
  readonly limiterRequired?: boolean;
}

interface Setting {
  readonly option: Option;
  /** For a switch it is 1 or 0. */
  readonly variable?: string;
  /** Its name in a profile, and what messages call it there. */
  readonly saved?: readonly [keyof SavedSettings, noun: string];
  /** Returns what a value means. Throws a usage Failure that names where it is `from`, and shows no secret. */
  readonly read: (value: unknown, from: string, allowHttp: boolean) => unknown;
}

/** All settings but the key, which no flag takes. Those of `pets login` come last. */
const settings = {
  profile: {
    option: new Option("--profile <profile>", "profile to use"),
    variable: "PETS_PROFILE",
    read: text(parseProfileName),
  },
  baseUrl: {
    option: new Option("--base-url <url>", "base URL of the service"),
    variable: "PETS_BASE_URL",
    saved: ["baseUrl", "base URL"],
    read: text(parseBaseUrl),
  },
  format: {
    option: new Option("-o, --output <format>", "output format")
      .choices(outputFormatNames)
      .argParser((format) => format)
      .default("table"),
    variable: "PETS_OUTPUT",
    read: parseFormat,
  },
  json: { option: new Option("--json", "same as --output json"), read: isOn },
  fields: {
    option: new Option("--fields <names>", "print these fields, in this order (comma-separated)"),
    read: text(parseFields),
  },
  quiet: {
    option: new Option("-q, --quiet", "print no notes, warnings or progress"),
    read: isOn,
  },
  verbose: {
    option: new Option("-v, --verbose", "log each request and response to stderr"),
    read: isOn,
  },
  color: {
    option: new Option("--no-color", "disable color"),
    read: (value: unknown) => value !== false,
  },
  timeoutMs: {
    option: new Option("--timeout <duration>", "time limit for one request").default("30s"),
    variable: "PETS_TIMEOUT",
    read: duration({ mayBeZero: false }),
  },
  maxWaitMs: {
    option: new Option(
      "--max-wait <duration>",
      "maximum total wait for rate limits per request",
    ).default("75s"),
    variable: "PETS_MAX_WAIT",
    read: duration({ mayBeZero: true }),
  },
  allowHttp: {
    option: new Option("--allow-http", "allow http: to hosts other than this machine"),
    read: isOn,
  },
  limiter: {
    option: new Option("--limiter <url>", "share limits between machines through Redis, or off"),
    variable: "PETS_LIMITER",
    saved: ["limiter", "limiter"],
    read: text(parseLimiterUrl),
  },
  limiterRequired: {
    option: new Option("--limiter-required", "send nothing if that server is unreachable"),
    variable: "PETS_LIMITER_REQUIRED",
    saved: ["limiterRequired", "required"],
    read: isOn,
  },
} as const satisfies Readonly<Record<string, Setting>>;

type SettingName = keyof typeof settings;

/** All settings, checked; those of a profile are among them only after `settingsWithProfile`. */
export type Settings = {
  readonly [Name in SettingName]: ReturnType<(typeof settings)[Name]["read"]>;
} & {
  readonly apiKey: string | undefined;
  /** What each setting that is no default was given as, and by which flag, variable or profile. */
  readonly given: Readonly<Partial<Record<SettingName, Given>>>;
  readonly sources: SettingSources;
};

/** A value as it was given, and by which flag, variable or profile. */
export interface Given {
  readonly value: unknown;
  readonly from: string;
}

/** The options of a command line as they were typed, by name, even if commander refused the line. */
export type TypedOptions = Readonly<Record<string, unknown>>;

/** Where settings come from, each before the next one. */
export interface SettingSources {
  readonly typed: TypedOptions;
  readonly env: Environment;
  readonly profile?: SavedProfile;
}

interface SavedProfile {
  readonly name: string;
  readonly profile: SavedSettings;
}

const settingList: readonly (readonly [name: string, Setting])[] = Object.entries(settings);

/** The settings that only `pets login` takes as flags. */
export const { limiter, limiterRequired } = settings;

export const globalHeading = "Global options:";

/** Returns whether every command takes an option. */
export function isGlobal(option: Pick<Option, "helpGroupHeading">): boolean {
  return option.helpGroupHeading === globalHeading;
}

/** Gives `command` and all below it the global options: the root alone would take that of `add --name --json`. */
export function addGlobalOptions(command: CommandUnknownOpts): void {
  command.enablePositionalOptions().helpCommand(false).optionsGroup(globalHeading);
  for (const [, { option }] of settingList)
    if (option !== limiter.option && option !== limiterRequired.option) command.addOption(option);
  // Not commander's own, which print at once, even if what follows on the line is wrong.
  command.option("-V, --version", "print the version").helpOption(false);
  command.option("-h, --help", "show help");
  for (const child of command.commands) addGlobalOptions(child);
}

/** Returns the variables that give settings, with what each means, in the words of its flag. */
export function settingVariables(): Readonly<Record<string, string>> {
  const all = settingList.map(([, { option, variable = "" }]) => {
    const { description, argChoices, defaultValue } = option;
    const choices = argChoices === undefined ? "" : `: ${argChoices.join(", ")}`;
    const usual = defaultValue === undefined ? "" : ` (default: ${String(defaultValue)})`;
    return [variable, `${option.isBoolean() ? "`1`: " : ""}${description}${choices}${usual}`];
  });
  return Object.fromEntries(all.filter(([variable]) => variable !== ""));
}

/** Returns what was typed, else the variables, the profile, the defaults (`help profiles`). Throws a usage Failure. */
export function resolveSettings(sources: SettingSources): Settings {
  const env = serviceEnvironment(sources);
  const typed = withJson(sources.typed);
  const given: Record<string, Given> = {};
  const values = settingList.map(([name, setting]) => {
    const { option, saved, read } = setting;
    const found = givenOf(setting, { ...sources, typed, env });
    if (found !== undefined) given[name] = found;
    const { value, from } = found ?? { value: option.defaultValue, from: "the default" };
    const place = from.startsWith("profile ") ? `the ${saved?.[1]} of ${from}` : from;
    return [name, read(value, place, typed.allowHttp === true)];
  });
  const apiKey = env.PETS_API_KEY?.trim();
  const all: unknown = {
    ...Object.fromEntries(values),
    apiKey: apiKey ? parseApiKey(apiKey, "PETS_API_KEY") : undefined,
    given,
    sources,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no type follows each name to its value in a loop.
  return all as Settings;
}

/** Returns `settings` with what `profile` says where neither flag nor variable does. Throws a usage Failure. */
export function settingsWithProfile({ sources }: Settings, profile: SavedProfile): Settings {
  return resolveSettings({ ...sources, profile });
}

/** Returns whether the profile matters: not if key and base URL both come from outside, unless one is typed. */
export function usesProfile(sources: SettingSources): boolean {
  const { PETS_API_KEY: apiKey, PETS_BASE_URL: baseUrl } = serviceEnvironment(sources);
  return !apiKey?.trim() || !(sources.typed.baseUrl ?? baseUrl?.trim());
}

/** Returns the environment, without its key and base URL if a profile is typed: a flag beats the environment. */
function serviceEnvironment({ typed, env }: SettingSources): Environment {
  if (typeof typed.profile !== "string") return env;
  return { ...env, PETS_API_KEY: undefined, PETS_BASE_URL: undefined };
}

/** Returns the keys and passwords that variables give. */
export function environmentSecrets(env: Environment): readonly (string | undefined)[] {
  const { PETS_API_KEY: key, PETS_SERVE_KEY: storeKey, PETS_LIMITER: url = "" } = env;
  return [key?.trim(), storeKey?.trim(), env.PETS_LIMITER_PASSWORD, ...limiterPasswords(url)];
}

function givenOf(
  { option, variable = "", saved }: Setting,
  { typed, env, profile }: SettingSources,
): Given | undefined {
  const flag = typed[option.attributeName()];
  // `false` is typed by the `--no-` form alone, which may be another option.
  if (flag !== undefined && (flag === false) === option.negate)
    return { value: flag, from: option.long ?? "" };
  const word = env[variable]?.trim();
  if (word) return { value: word, from: variable };
  const value = saved && profile?.profile[saved[0]];
  return value === undefined ? undefined : { value, from: `profile ${profile?.name}` };
}

/** Returns what was typed with `--json` as the format. Throws a usage Failure if another one was typed as well. */
function withJson(typed: TypedOptions): TypedOptions {
  const { json, output } = typed;
  if (json !== true) return typed;
  if (output !== undefined && output !== "json")
    throw usageFailure(`--json and --output ${JSON.stringify(output)} cannot be used together`);
  return { ...typed, output: "json" };
}

/** Returns a reader of a setting that is a text, if it is given. */
function text<Value>(parse: (given: string, from: string, allowHttp: boolean) => Value) {
  return (value: unknown, from: string, allowHttp: boolean): Value | undefined =>
    typeof value === "string" ? parse(value, from, allowHttp) : undefined;
}

function isOn(value: unknown, from: string): boolean {
  if (value === undefined || typeof value === "boolean") return value === true;
  if (value === "1" || value === "0") return value === "1";
  throw usageFailure(`${from} must be 1 or 0, not ${JSON.stringify(value)}`);
}

const formatSyntax = oneOf(outputFormatNames);

function parseFormat(given: unknown, from: string): OutputFormatName {
  const found = formatSyntax.parse(String(given));
  if (found !== undefined) return found;
  throw usageFailure(problemIn(from, formatSyntax, String(given)));
}

function parseFields(given: string): readonly string[] {
  const names = given.split(",").map((name) => name.trim());
  if (!names.includes("")) return names;
  throw usageFailure(
    `--fields must be names separated by commas, such as id,name, not ${JSON.stringify(given)}`,
  );
}

const maxDurationMs = 30 * 24 * 3_600_000;

function duration({ mayBeZero }: { readonly mayBeZero: boolean }) {
  return (given: unknown, from: string): number => {
    const ms = parseDuration(String(given));
    if (ms !== undefined && ms <= maxDurationMs && (ms > 0 || mayBeZero)) return ms;
    const bound = ms === 0 ? "at least 1ms" : "at most 720h (30 days)";
    const allowed = ms === undefined ? "a duration such as 30s, 1.5m or 2h" : bound;
    throw usageFailure(`${from} must be ${allowed}, not ${JSON.stringify(given)}`);
  };
}
