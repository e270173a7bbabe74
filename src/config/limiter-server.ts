import { usageFailure } from "../core/errors.ts";
import type { Environment } from "../platform/io.ts";

/** A server through which machines share one rate limiter (`help fleet`). */
export interface LimiterServer {
  /** Scheme, host and port: the part of its URL that is shown. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly database: number;
  /** Whether nothing may be sent without it. */
  readonly required: boolean;
}

type LimiterAddress = Omit<LimiterServer, "required">;

/** The value that turns the server off. */
export const limiterOff = "off";

const defaultPort = "6379";

/** Parses the URL of a limiter; undefined for `off`. Throws a usage Failure without it: it may contain a password. */
export function parseLimiterUrl(text: string, from: string): LimiterAddress | undefined {
  if (text === limiterOff) return undefined;
  const address = addressOf(text);
  if (address !== undefined) return address;
  throw usageFailure(
    `${from} must be a URL such as redis://host:6379/0, or rediss:// for TLS, or off`,
  );
}

/** Returns the password in a URL of a limiter, if there is one, as it is written and as it is meant. */
export function limiterPasswords(text: string): readonly string[] {
  const written = URL.parse(text)?.password ?? "";
  return written === "" ? [] : [written, addressOf(text)?.password ?? written];
}

/** Returns a URL of a limiter's server for display, without its password. */
export function showLimiterUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || addressOf(text) === undefined) return "an invalid URL";
  if (url.password !== "") url.password = "***";
  return url.href;
}

function addressOf(text: string): LimiterAddress | undefined {
  const url = URL.parse(text);
  const database = /^\/?(\d{0,5})$/.exec(url?.pathname ?? "-")?.[1];
  if (url === null || database === undefined || !/^rediss?:$/.test(url.protocol)) return undefined;
  const { protocol, hostname, port, search, hash } = url;
  if (hostname === "" || port === "0" || search + hash !== "") return undefined;
  try {
    return {
      url: `${protocol}//${hostname}:${port || defaultPort}`,
      host: hostname.replace(/^\[(.*)\]$/, "$1"),
      port: Number(port || defaultPort),
      tls: protocol === "rediss:",
      ...(url.username && { username: decodeURIComponent(url.username) }),
      ...(url.password && { password: decodeURIComponent(url.password) }),
      database: Number(database),
    };
  } catch {
    // An escape is wrong.
    return undefined;
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
