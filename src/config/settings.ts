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

/** A setting: its flag, where else its value may come from, and what that means. */
interface Setting {
  readonly option: Option;
  /** The variable of the environment; for a switch it is 1 or 0. */
  readonly variable?: string;
  /** Its name in a profile, and what messages call it there. */
  readonly saved?: readonly [keyof SavedSettings, noun: string];
  /** Returns what a value means that came `from` a flag, variable or profile. Throws a usage Failure that shows no secret. */
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
    read: (value: unknown, from: string) => parseFormat(String(value), from),
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
    read: (value: unknown, from: string) => parseTimeout(String(value), from),
  },
  maxWaitMs: {
    option: new Option(
      "--max-wait <duration>",
      "maximum total wait for rate limits per request",
    ).default("75s"),
    variable: "PETS_MAX_WAIT",
    read: (value: unknown, from: string) => parseShortDuration(String(value), from),
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

/** All settings, checked and merged; those of a profile are among them only after `withProfile`. */
export type Settings = {
  readonly [Name in SettingName]: ReturnType<(typeof settings)[Name]["read"]>;
} & {
  readonly apiKey: string | undefined;
  /** The flag, variable or profile of each setting that is no default. */
  readonly sources: Readonly<Partial<Record<SettingName, string>>>;
  /** Whether a flag or the environment asked for the format. */
  readonly formatAsked: boolean;
  /** The command that was typed, which holds them as commander does. */
  readonly command: CommandUnknownOpts;
};

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
 * Completes the options of `command`, which was parsed: a flag, given before or after it, else the variable, else the
 * default (`help profiles`). An empty variable counts as unset. Returns the settings. Throws a usage
 * Failure that names the flag or variable, the value and what is allowed.
 */
export function resolveSettings(command: CommandUnknownOpts, env: Environment): Settings {
  for (const { option, variable = "" } of settingList) {
    const name = option.attributeName();
    const typedAt = ancestorsOf(command).find((each) => each.getOptionValueSource(name) === "cli");
    const value = env[variable];
    if (typedAt !== undefined)
      command.setOptionValueWithSource(name, typedAt.getOptionValue(name), "cli");
    else if (value?.trim()) command.setOptionValueWithSource(name, value, variable);
  }
  if (command.getOptionValue("json") === true) putJson(command);
  const apiKey = env.PETS_API_KEY?.trim();
  return readSettings(command, apiKey ? parseApiKey(apiKey, "PETS_API_KEY") : undefined);
}

function putJson(command: CommandUnknownOpts): void {
  const format = command.getOptionValue("output");
  if (format !== "json" && command.getOptionValueSource("output") === "cli")
    throw usageFailure(`--json and --output ${JSON.stringify(format)} cannot be used together`);
  command.setOptionValueWithSource("output", "json", "cli");
}

/** Returns the settings with what the profile called `profile` says where neither flag nor variable does. Throws likewise. */
export function withProfile(
  { command, apiKey }: Settings,
  profile: string,
  saved: SavedSettings,
): Settings {
  const put = (name: string, value: unknown, source: string): void => {
    const known = command.getOptionValueSource(name) ?? "";
    const isGiven = known === "cli" || known.startsWith("PETS_");
    if (!isGiven)
      command.setOptionValueWithSource(name, value, value === undefined ? "default" : source);
  };
  for (const { saved: place } of settingList)
    if (place !== undefined) put(place[0], saved[place[0]], `profile ${profile}`);
  put("profile", profile, "current");
  return readSettings(command, apiKey);
}

function readSettings(command: CommandUnknownOpts, apiKey: string | undefined): Settings {
  const allowHttp = command.getOptionValue("allowHttp") === true;
  const found = settingList.map(({ name, option, saved, read }) => {
    const place = sourceOf(command, option);
    const from = place?.startsWith("profile ") ? `the ${saved?.[1]} of ${place}` : place;
    const given = command.getOptionValue(option.attributeName());
    return { name, place, value: read(given, from ?? "the default", allowHttp) };
  });
  const given = found.filter(({ place }) => place !== undefined);
  const sources = Object.fromEntries(given.map(({ name, place }) => [name, place]));
  // `Object` returns `any`: no type follows each name to its value through a loop.
  return Object({
    ...Object.fromEntries(found.map(({ name, value }) => [name, value])),
    apiKey,
    sources,
    formatAsked: "format" in sources,
    command,
  });
}

/** Returns the flag, variable or profile that an option has its value from; undefined for a default. */
function sourceOf(command: CommandUnknownOpts, option: Option): string | undefined {
  const source = command.getOptionValueSource(option.attributeName());
  return source === "cli" ? option.long : source === "default" ? undefined : source;
}

/** Returns a setting as it was given, unchecked, and where; undefined for a default. */
export function givenSetting({ command }: Settings, name: SettingName) {
  const { option } = settings[name];
  const from = sourceOf(command, option);
  if (from === undefined) return undefined;
  return { value: String(command.getOptionValue(option.attributeName())), from };
}

/** Returns the default settings, with JSON if that is asked for. */
export function defaultSettings(json: boolean): Settings {
  const command = new Command();
  addGlobalOptions(command, "");
  if (json) command.setOptionValueWithSource("json", true, "cli");
  return resolveSettings(command, {});
}

/** Returns a command and those above it, the nearest first. */
function ancestorsOf(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return [command, ...(command.parent === null ? [] : ancestorsOf(command.parent))];
}

/** Returns a reader of a setting that is a text, if it is given. */
function text<Value>(parse: (given: string, from: string, allowHttp: boolean) => Value) {
  return (value: unknown, from: string, allowHttp: boolean): Value | undefined =>
    typeof value === "string" ? parse(value, from, allowHttp) : undefined;
}

/** Returns whether a switch is on. */
function isOn(value: unknown, from: string): boolean {
  if (value === undefined || typeof value === "boolean") return value === true;
  if (value === "1" || value === "0") return value === "1";
  throw usageFailure(`${from} must be 1 or 0, not ${JSON.stringify(value)}`);
}

function parseFormat(given: string, from: string): OutputFormatName {
  const found = outputFormatNames.find((name) => name === given);
  if (found !== undefined) return found;
  throw usageFailure(
    unknownText("output format", given, outputFormatNames, from),
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

function parseTimeout(given: string, from: string): number {
  const ms = parseShortDuration(given, from);
  if (ms > 0) return ms;
  throw usageFailure(`${from} must be at least 1ms, not ${JSON.stringify(given)}`);
}

/** The maximum of a duration, in ms: 30 days (`pets help`). */
const maxDurationMs = 30 * 24 * 3_600_000;

function parseShortDuration(given: string, from: string): number {
  const ms = parseDuration(given);
  if (ms !== undefined && ms <= maxDurationMs) return ms;
  const allowed =
    ms === undefined ? "a duration such as 30s, 1.5m or 2h" : "at most 720h (30 days)";
  throw usageFailure(`${from} must be ${allowed}, not ${JSON.stringify(given)}`);
}
