import { Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { parseApiKey } from "../core/api-key.ts";
import { type OutputFormatName, outputFormatNames } from "../core/enums.ts";
import { usageFailure } from "../core/errors.ts";
import { unknownText } from "../core/strings.ts";
import { parseDuration } from "../core/times.ts";
import type { Environment } from "../platform/io.ts";
import { parseBaseUrl } from "./base-url.ts";
import { parseLimiterUrl } from "./limiter-server.ts";
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

/** All settings, checked; those of a profile are among them only after `withProfile`. */
export type Settings = {
  readonly [Name in SettingName]: ReturnType<(typeof settings)[Name]["read"]>;
} & {
  readonly apiKey: string | undefined;
  /** What each setting that is no default was given as, and by which flag, variable or profile. */
  readonly given: Readonly<Partial<Record<SettingName, Given>>>;
  /** Whether a flag or the environment asked for the format. */
  readonly formatAsked: boolean;
  /** Returns the settings with what a profile says where neither flag nor variable does. Throws a usage Failure. */
  readonly withProfile: (profile: SavedProfile) => Settings;
};

interface Given {
  readonly value: unknown;
  readonly from: string;
}

interface SavedProfile {
  readonly name: string;
  readonly profile: SavedSettings;
}

const settingList: readonly (Setting & { readonly name: string })[] = Object.entries(settings).map(
  ([name, setting]) => Object.assign({ name }, setting),
);

/** The settings that only `pets login` takes as flags. */
export const { limiter, limiterRequired } = settings;

const globalHeading = "Global options:";

/** Returns whether every command takes an option. */
export function isGlobal(option: Pick<Option, "helpGroupHeading">): boolean {
  return option.helpGroupHeading === globalHeading;
}

/**
 * Gives `command` and all below it the global options. Every command gets them, rather than the
 * root alone: the root would take `--json` in `pets add --name --json` for its own.
 */
export function addGlobalOptions(command: CommandUnknownOpts, version: string): void {
  command.enablePositionalOptions().helpCommand(false).optionsGroup(globalHeading);
  for (const { option } of settingList)
    if (option !== limiter.option && option !== limiterRequired.option) command.addOption(option);
  command.version(version, "-V, --version", "print the version");
  command.helpOption("-h, --help", "show help");
  for (const child of command.commands) addGlobalOptions(child, version);
}

/**
 * Completes the options of a command that was parsed: the flag, given before or after it, else the variable, if it is not
 * empty, else what `profile` says, else the default (`help profiles`). Returns the settings. Throws a usage Failure
 * that names the flag or variable, the value and what is allowed.
 */
export function resolveSettings(
  command: CommandUnknownOpts,
  env: Environment,
  profile?: SavedProfile,
): Settings {
  for (const setting of settingList) resolveOption(command, setting, env, profile);
  if (command.getOptionValue("json") === true) putJson(command);
  const allowHttp = command.getOptionValue("allowHttp") === true;
  const given: Record<string, Given> = {};
  const values = settingList.map(({ name, option, saved, read }) => {
    const value: unknown = command.getOptionValue(option.attributeName());
    const from = sourceOf(command, option);
    if (from !== undefined) given[name] = { value, from };
    const place = from?.startsWith("profile ") ? `the ${saved?.[1]} of ${from}` : from;
    return [name, read(value, place ?? "the default", allowHttp)] as const;
  });
  const apiKey = env.PETS_API_KEY?.trim();
  // `Object` returns `any`: no type follows each name to its value through a loop.
  return Object({
    ...Object.fromEntries(values),
    apiKey: apiKey ? parseApiKey(apiKey, "PETS_API_KEY") : undefined,
    given,
    formatAsked: "format" in given,
    withProfile: (saved: SavedProfile) => resolveSettings(command, env, saved),
  });
}

function resolveOption(
  command: CommandUnknownOpts,
  { option, variable = "", saved }: Setting,
  env: Environment,
  profile?: SavedProfile,
): void {
  const name = option.attributeName();
  const put = (value: unknown, source: string) =>
    command.setOptionValueWithSource(name, value, source);
  let typedAt: CommandUnknownOpts | null = command;
  while (typedAt !== null && typedAt.getOptionValueSource(name) !== "cli") typedAt = typedAt.parent;
  if (typedAt !== null) put(typedAt.getOptionValue(name), "cli");
  else if (env[variable]?.trim()) put(env[variable], variable);
  else if (saved !== undefined && profile !== undefined) {
    const value = profile.profile[saved[0]];
    put(value, value === undefined ? "default" : `profile ${profile.name}`);
  }
}

/** Returns the flag, variable or profile that an option has its value from; undefined for a default. */
function sourceOf(command: CommandUnknownOpts, option: Option): string | undefined {
  const source = command.getOptionValueSource(option.attributeName());
  return source === "cli" ? option.long : source === "default" ? undefined : source;
}

function putJson(command: CommandUnknownOpts): void {
  const format: unknown = command.getOptionValue("output");
  if (format !== "json" && command.getOptionValueSource("output") === "cli")
    throw usageFailure(`--json and --output ${JSON.stringify(format)} cannot be used together`);
  command.setOptionValueWithSource("output", "json", "cli");
}

/** Returns the settings of a command that reads none, which prints in `format`. */
export function defaultSettings(format: OutputFormatName): Settings {
  const command = new Command();
  addGlobalOptions(command, "");
  return resolveSettings(command.setOptionValueWithSource("output", format, "cli"), {});
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

function parseFormat(given: unknown, from: string): OutputFormatName {
  const found = outputFormatNames.find((name) => name === given);
  if (found !== undefined) return found;
  throw usageFailure(
    unknownText("output format", String(given), outputFormatNames, from),
    `The formats are ${outputFormatNames.join(", ")}.`,
  );
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
