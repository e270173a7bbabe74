import { usageFailure } from "../../core/errors.ts";
import type { Environment } from "../../platform/io.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import { isExempt } from "./no-proxy.ts";

/** A proxy that requests go through, by CONNECT. */
export interface Proxy {
  /** Scheme, host and port; no user name, no password. */
  readonly url: URL;
  /** The value of `Proxy-Authorization`, where the variable holds a user name or a password. */
  readonly authorization?: string;
  /** The variable that it comes from. */
  readonly variable: string;
}

const hint = "a proxy is http://host:port or https://host:port";

/**
 * The proxy that the environment names for requests to `target`, or undefined: `https_proxy` or
 * `http_proxy` by its scheme, else `all_proxy`, each in small letters first and then in capitals;
 * an empty variable counts as unset. Never one for a loopback host or what `no_proxy` covers.
 * Throws a usage Failure that names the variable where it holds no proxy that can be used.
 */
export function chooseProxy(target: URL, env: Environment): Proxy | undefined {
  if (isLoopbackHost(target.hostname)) return undefined;
  const scheme = target.protocol === "https:" ? "https_proxy" : "http_proxy";
  const set = firstSet(env, scheme) ?? firstSet(env, "all_proxy");
  if (set === undefined) return undefined;
  const exempt = firstSet(env, "no_proxy");
  if (exempt !== undefined && isExempt(target, exempt.value)) return undefined;
  return parseProxy(set.value, set.variable);
}

function firstSet(env: Environment, name: string): { variable: string; value: string } | undefined {
  for (const variable of [name, name.toUpperCase()]) {
    const value = env[variable]?.trim();
    if (value !== undefined && value !== "") return { variable, value };
  }
  return undefined;
}

/** The messages quote nothing of `value`: it may hold a password. */
function parseProxy(value: string, variable: string): Proxy {
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const full = URL.canParse(text) ? new URL(text) : undefined;
  if (full === undefined || full.hostname === "") {
    throw usageFailure(`${variable} is not the address of a proxy`, hint);
  }
  if (full.protocol !== "http:" && full.protocol !== "https:") {
    throw usageFailure(`${variable} names a ${full.protocol} proxy, which is not supported`, hint);
  }
  const url = new URL(`${full.protocol}//${full.host}`);
  if (full.username === "" && full.password === "") return { url, variable };
  return { url, variable, authorization: basic(full) };
}

/** Basic credentials (RFC 7617) from the user info of a URL, where they are percent-encoded. */
function basic({ username, password }: URL): string {
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return `Basic ${Buffer.from(credentials, "utf8").toString("base64")}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
