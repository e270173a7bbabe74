import { parseApiKey } from "../core/api-key.ts";
import { oneOf, profiles, type Values } from "../core/command-line.ts";
import { outputFormatNames } from "../core/enums.ts";
import { usageFailure } from "../core/errors.ts";
import { parseDuration } from "../core/times.ts";
import { parseBaseUrl, showBaseUrl } from "./base-url.ts";
import { parseLimiterUrl, showLimiterUrl } from "./limiter-server.ts";
import { parseProfileName } from "./profiles/name.ts";

/** A setting: where its value may come from, what that means, and how each of them is described. */
export interface SettingDefinition {
  /** As in `-o, --output <format>`. Without a value it is a switch. */
  readonly flags?: string;
  /** Whether only `pets login` takes the flag. */
  readonly isLoginFlag?: true;
  /** The variable of the environment; for a switch, it is 1 or 0. */
  readonly variable?: string;
  /** What messages and columns call its entry in a profile, if a profile may have it. */
  readonly saved?: string;
  /** The name of its line in `pets status`, if that shows it. */
  readonly label?: string;
  readonly description: string;
  readonly values?: Values;
  /** What counts as given if nothing was. */
  readonly default?: string;
  /** Returns what a text means. Throws a usage Failure that names `from`, and shows nothing that may be secret. */
  readonly parse?: (text: string, from: string, allowHttp: boolean) => unknown;
  /** Returns a text as it may be shown. */
  readonly show?: (text: string) => string;
}

/** All settings, in the order of the help: flags, variables, profiles, `pets status` and help follow from this table. */
const settings = {
  apiKey: {
    variable: "PETS_API_KEY",
    description: "API key (no flag takes a key)",
    parse: (text: string, from: string) => parseApiKey(text.trim(), from),
  },
  profile: {
    flags: "--profile <name>",
    variable: "PETS_PROFILE",
    label: "Profile",
    description: "profile to use",
    values: profiles,
    parse: parseProfileName,
  },
  baseUrl: {
    flags: "--base-url <url>",
    variable: "PETS_BASE_URL",
    saved: "base URL",
    label: "Base URL",
    description: "base URL of the service",
    parse: parseBaseUrl,
    show: showBaseUrl,
  },
  format: {
    flags: "-o, --output <format>",
    variable: "PETS_OUTPUT",
    description: "output format",
    values: oneOf(outputFormatNames),
    default: "table",
  },
  json: { flags: "--json", description: "same as --output json" },
  fields: {
    flags: "--fields <names>",
    description: "print these fields, in this order (comma-separated)",
    values: { kind: "fields" },
    parse: parseFields,
  },
  quiet: { flags: "-q, --quiet", description: "print no notes, warnings or progress" },
  verbose: { flags: "-v, --verbose", description: "log each request and response to stderr" },
  color: { flags: "--no-color", description: "disable color" },
  timeoutMs: {
    flags: "--timeout <duration>",
    variable: "PETS_TIMEOUT",
    description: "time limit for one request",
    default: "30s",
    parse: parseTimeout,
  },
  maxWaitMs: {
    flags: "--max-wait <duration>",
    variable: "PETS_MAX_WAIT",
    description: "maximum total wait for rate limits per request",
    default: "75s",
    parse: parseShortDuration,
  },
  allowHttp: {
    flags: "--allow-http",
    description: "allow http: to hosts other than this machine",
  },
  limiter: {
    flags: "--limiter <url>",
    isLoginFlag: true,
    variable: "PETS_LIMITER",
    saved: "limiter",
    description: "share limits between machines through Redis, or off",
    parse: parseLimiterUrl,
    show: showLimiterUrl,
  },
  limiterRequired: {
    flags: "--limiter-required",
    isLoginFlag: true,
    variable: "PETS_LIMITER_REQUIRED",
    saved: "required",
    description: "send nothing if that server is unreachable",
  },
} as const satisfies Readonly<Record<string, SettingDefinition>>;

type Definitions = typeof settings;
export type SettingName = keyof Definitions;
type NamesWith<Key extends string> = {
  [Name in SettingName]: Definitions[Name] extends Readonly<Record<Key, unknown>> ? Name : never;
}[SettingName];
/** The settings that a profile may have. */
export type SavedName = NamesWith<"saved">;
/** The settings that `pets status` shows. */
export type LabelledName = NamesWith<"label">;

type IsSwitch<Definition> = Definition extends { readonly flags: infer Flags }
  ? Flags extends `${string}<${string}`
    ? false
    : true
  : false;

type ParsedValue<Definition> = Definition extends {
  readonly parse: (...given: never[]) => infer Value;
}
  ? Value
  : Definition extends { readonly values: { readonly words: readonly (infer Word)[] } }
    ? Word
    : string;

type SettingValue<Definition> =
  IsSwitch<Definition> extends true
    ? boolean
    : Definition extends { readonly default: string }
      ? ParsedValue<Definition>
      : ParsedValue<Definition> | undefined;

/** The values of all settings. */
export type SettingValues = {
  readonly [Name in SettingName]: SettingValue<Definitions[Name]>;
};

/** The settings in a profile, as they were given. */
export type SavedSettings = {
  readonly [Name in SavedName]?: IsSwitch<Definitions[Name]> extends true ? boolean : string;
};

/** The settings with their names, in the order of the table. */
export const settingList: readonly (SettingDefinition & { readonly name: SettingName })[] =
  Object.entries(settings).flatMap(([name, definition]) =>
    isSettingName(name) ? [{ name, ...definition }] : [],
  );

/** Returns whether a setting takes no text. */
export function isSwitch({ flags }: Pick<SettingDefinition, "flags">): boolean {
  return flags?.includes("<") === false;
}

/** The settings that `pets status` shows, with the names of their lines. */
export const labelledSettings = settingList.flatMap(({ name, label, show }) =>
  label !== undefined && isLabelled(name) ? [{ name, label, ...(show && { show }) }] : [],
);

function isLabelled(name: SettingName): name is LabelledName {
  return "label" in settings[name];
}

/** Returns whether a field of a profile is a setting. */
export function isSaved(name: string): name is SavedName {
  return isSettingName(name) && "saved" in settings[name];
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name);
}

function parseFields(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (!names.includes("")) return names;
  throw usageFailure(
    `--fields must be names separated by commas, such as id,name, not ${JSON.stringify(text)}`,
  );
}

function parseTimeout(text: string, from: string): number {
  const ms = parseShortDuration(text, from);
  if (ms > 0) return ms;
  throw usageFailure(`${from} must be at least 1ms, not ${JSON.stringify(text)}`);
}

/** The maximum of a duration, in ms: 30 days (`pets help`). */
const maxDurationMs = 30 * 24 * 3_600_000;

function parseShortDuration(text: string, from: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms <= maxDurationMs) return ms;
  const allowed =
    ms === undefined
      ? "a number of seconds, or a number with ms, s, m or h, such as 30 or 1.5m"
      : "at most 720h (30 days)";
  throw usageFailure(`${from} must be ${allowed}, not ${JSON.stringify(text)}`);
}
