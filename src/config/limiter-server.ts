import { usageFailure } from "../core/errors.ts";
import type { Environment } from "../platform/io.ts";

/** What the URL of a limiter's server says. */
interface LimiterAddress {
  /** Scheme, host and port: the part of its URL that is shown. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly database: number;
}

/** A server through which machines share one rate limiter (`help fleet`). */
export interface LimiterServer extends LimiterAddress {
  /** Whether nothing may be sent without it. */
  readonly required: boolean;
}

/** The value that turns the server off. */
export const limiterOff = "off";

const defaultPort = 6379;
const syntax = "a URL such as redis://user@host:6379/0, or rediss:// for TLS, or off";

/**
 * Parses the URL of a limiter's server; undefined for `off`. `from` is the flag or variable that it
 * came from. Throws a usage Failure without the URL, which may contain a password.
 */
export function parseLimiterUrl(text: string, from: string): LimiterAddress | undefined {
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

/** Returns a URL of a limiter's server for display, without its password. */
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

/** Returns the server of settings, with the password of the environment; undefined for none. */
export function serverOf(
  settings: { readonly limiter: LimiterAddress | undefined; readonly limiterRequired: boolean },
  { PETS_LIMITER_PASSWORD: password }: Environment,
): LimiterServer | undefined {
  const { limiter, limiterRequired: required } = settings;
  return limiter && { ...limiter, ...(password && { password }), required };
}
