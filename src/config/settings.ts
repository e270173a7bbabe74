import { parseDuration } from "../core/duration.ts";
import { parseApiKey } from "../core/api-key.ts";
import { usageFailure } from "../core/errors.ts";
import type { Environment } from "../platform/io.ts";
import { parseBaseUrl } from "./base-url.ts";
import { limiterFromEnvironment, limiterRequired } from "./limiter-server.ts";
import { parseProfileName } from "./profiles/profiles.ts";
import { type RawGlobals, type Settings, type Sourced } from "./types.ts";

/** Defaults of `--timeout` and `--max-wait`, in ms (`pets help`). */
const defaultTimeoutMs = 30_000;
const defaultMaxWaitMs = 75_000;
/** The maximum of both, in ms: 30 days (`pets help`). */
const maxDurationMs = 30 * 24 * 3_600_000;

/**
 * Checks and merges the global options and the environment: a flag, else its variable, else the
 * default (`help profiles`). An empty variable counts as unset. Throws a usage
 * Failure that names the flag or variable, the value and what is allowed.
 */
export function resolveSettings(raw: RawGlobals, env: Environment): Settings {
  const allowHttp = raw.allowHttp ?? false;
  const asked = raw.profile === false ? undefined : raw.profile;
  const profile = flagOrEnv(asked, "--profile", env, "PETS_PROFILE");
  const baseUrl = flagOrEnv(raw.baseUrl, "--base-url", env, "PETS_BASE_URL");
  return {
    profile: profile && parsed(profile, parseProfileName),
    baseUrl: baseUrl && parsed(baseUrl, (text, from) => parseBaseUrl(text, from, allowHttp)),
    apiKey: keyFrom(env),
    fields: raw.fields === undefined ? undefined : splitFields(raw.fields),
    quiet: raw.quiet ?? false,
    verbose: raw.verbose ?? false,
    color: raw.color ?? true,
    timeoutMs: timeoutFrom(flagOrEnv(raw.timeout, "--timeout", env, "PETS_TIMEOUT")),
    maxWaitMs: maxWaitFrom(flagOrEnv(raw.maxWait, "--max-wait", env, "PETS_MAX_WAIT")),
    allowHttp,
    limiter: limiterFromEnvironment(env),
    limiterRequired: limiterRequired(env),
  };
}

/** Returns the value of a flag, else that of a variable, with the name of its source. */
function flagOrEnv(
  typed: string | undefined,
  flag: string,
  env: Environment,
  variable: string,
): Sourced<string> | undefined {
  if (typed !== undefined) return { value: typed, from: flag };
  const value = env[variable];
  return value ? { value, from: variable } : undefined;
}

function parsed<T>(
  { value, from }: Sourced<string>,
  parse: (text: string, from: string) => T,
): Sourced<T> {
  return { value: parse(value, from), from };
}

function keyFrom(env: Environment): string | undefined {
  const key = env.PETS_API_KEY?.trim();
  return key ? parseApiKey(key, "PETS_API_KEY") : undefined;
}

function splitFields(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (!names.includes("")) return names;
  throw usageFailure(
    `--fields must be names separated by commas, such as id,name, not ${JSON.stringify(text)}`,
  );
}

function timeoutFrom(asked: Sourced<string> | undefined): number {
  if (asked === undefined) return defaultTimeoutMs;
  const ms = durationOf(asked);
  if (ms > 0) return ms;
  throw usageFailure(`${asked.from} must be at least 1ms, not ${JSON.stringify(asked.value)}`);
}

function maxWaitFrom(asked: Sourced<string> | undefined): number {
  return asked === undefined ? defaultMaxWaitMs : durationOf(asked);
}

function durationOf({ value, from }: Sourced<string>): number {
  const ms = parseDuration(value);
  if (ms !== undefined && ms <= maxDurationMs) return ms;
  if (ms !== undefined)
    throw usageFailure(`${from} must be at most 720h (30 days), not ${JSON.stringify(value)}`);
  const allowed = "a number of seconds, or a number with ms, s, m or h, such as 30 or 1.5m";
  throw usageFailure(`${from} must be ${allowed}, not ${JSON.stringify(value)}`);
}
