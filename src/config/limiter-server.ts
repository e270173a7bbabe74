import { usageFailure } from "../core/errors.ts";
import type { Environment } from "../platform/io.ts";
import { chosenProfile } from "./connection.ts";
import type { LimiterServer, Profile, ProfileReader, Settings, Sourced } from "./types.ts";

/** The value that turns the server off. */
export const limiterOff = "off";

const defaultPort = 6379;
const syntax = "a URL such as redis://user@host:6379/0, or rediss:// for TLS, or off";

/**
 * Parses the URL of a limiter's server; undefined for `off`. `from` is the flag or variable that it
 * came from. Throws a usage Failure that does not show the URL: a password may be in it.
 */
export function parseLimiterUrl(
  text: string,
  from: string,
): Omit<LimiterServer, "required"> | undefined {
  if (text === limiterOff) return undefined;
  const url = URL.parse(text);
  const tls = url?.protocol === "rediss:";
  if (url === null || !(tls || url.protocol === "redis:") || url.hostname === "")
    throw usageFailure(`${from} must be ${syntax}`);
  const database = /^\/?(\d{0,5})$/.exec(url.pathname)?.[1];
  if (database === undefined || url.search !== "" || url.hash !== "" || url.port === "0")
    throw usageFailure(`${from} must be ${syntax}`);
  const port = url.port === "" ? defaultPort : Number(url.port);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return {
    url: `${url.protocol}//${url.hostname}:${port}`,
    host,
    port,
    tls,
    ...decoded("username", url.username, from),
    ...decoded("password", url.password, from),
    database: Number(database),
  };
}

/** Returns a URL of a limiter's server as it may be shown: without its password. */
export function showLimiterUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !isLimiterUrl(text)) return "an invalid URL";
  if (url.password !== "") url.password = "***";
  return url.href;
}

function isLimiterUrl(text: string): boolean {
  try {
    return parseLimiterUrl(text, "") !== undefined;
  } catch {
    return false;
  }
}

function decoded(name: "username" | "password", text: string, from: string) {
  if (text === "") return {};
  try {
    return { [name]: decodeURIComponent(text) };
  } catch {
    throw usageFailure(`${from} must be ${syntax}`);
  }
}

/** Returns the value of `PETS_LIMITER`, checked; an empty one counts as unset. Throws a usage Failure. */
export function limiterFromEnvironment(env: Environment): Sourced<string> | undefined {
  const value = env.PETS_LIMITER;
  if (!value) return undefined;
  parseLimiterUrl(value, "PETS_LIMITER");
  return { value, from: "PETS_LIMITER" };
}

/** Returns whether `PETS_LIMITER_REQUIRED` is set. Throws a usage Failure if it is neither 1 nor 0. */
export function limiterRequired({ PETS_LIMITER_REQUIRED: value }: Environment): boolean {
  if (!value || value === "0") return false;
  if (value === "1") return true;
  throw usageFailure(`PETS_LIMITER_REQUIRED must be 1, or 0, not ${JSON.stringify(value)}`);
}

/**
 * Returns the server of the limiter: that of the environment, else that of the profile, which is not
 * read if it gives neither key nor base URL. Throws a usage Failure.
 */
export async function resolveLimiterServer(
  settings: Settings,
  env: Environment,
  openProfiles: () => Promise<ProfileReader>,
): Promise<LimiterServer | undefined> {
  if (settings.limiter !== undefined) return limiterServer(settings.limiter, settings, env);
  if (settings.apiKey !== undefined && settings.baseUrl !== undefined) return undefined;
  const data = await (await openProfiles()).read();
  const chosen = chosenProfile(settings, data);
  if (chosen === undefined) return undefined;
  return profileLimiter(chosen.name, chosen.profile, settings, env);
}

/** Returns the server that `profile` names. Throws a usage Failure. */
export function profileLimiter(
  name: string,
  { limiter, limiterRequired: required }: Pick<Profile, "limiter" | "limiterRequired">,
  settings: Pick<Settings, "limiterRequired">,
  env: Environment,
): LimiterServer | undefined {
  if (limiter === undefined) return undefined;
  const source = { value: limiter, from: `the limiter of profile ${name}` };
  const isRequired = settings.limiterRequired || required === true;
  return limiterServer(source, { limiterRequired: isRequired }, env);
}

/** Returns the server at a URL, with the password of the environment. */
function limiterServer(
  { value, from }: Sourced<string>,
  settings: Pick<Settings, "limiterRequired">,
  env: Environment,
): LimiterServer | undefined {
  const server = parseLimiterUrl(value, from);
  const password = env.PETS_LIMITER_PASSWORD || undefined;
  return (
    server && {
      ...server,
      ...(password !== undefined && { password }),
      required: settings.limiterRequired,
    }
  );
}
