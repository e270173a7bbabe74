import { BlockList, isIP } from "node:net";
import { usageFailure } from "../../core/errors.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import type { Environment } from "../../platform/io.ts";

export interface Proxy {
  /** Scheme, host and port; no user name, no password. */
  readonly url: URL;
  /** The value of `Proxy-Authorization`, if the variable has a user name or a password. */
  readonly authorization?: string;
  readonly variable: string;
}

const hint = "Use http://host:port or https://host:port.";

export const encodeHint =
  "Percent-encode special characters in its password: # is %23, @ is %40, / is %2F.";

/** Returns a proxy for the user: its address, without credentials, and the variable that names it. */
export const proxyName = ({ url, variable }: Proxy): string =>
  `the proxy ${url.origin} (${variable})`;

/** Returns the proxy for `target`, if any. Throws a usage Failure that names the variable of an unusable one. */
export function chooseProxy(target: URL, env: Environment): Proxy | undefined {
  if (isLoopbackHost(target.hostname)) return undefined;
  const scheme = target.protocol === "https:" ? "https_proxy" : "http_proxy";
  const variable = firstSet(env, scheme) ?? firstSet(env, "all_proxy");
  const exempt = firstSet(env, "no_proxy");
  if (variable === undefined || (exempt && isExempt(target, env[exempt] ?? ""))) return undefined;
  return parseProxy(env[variable]?.trim() ?? "", variable);
}

/** Returns which of `name`, in lower and in upper case, is set and not empty. */
function firstSet(env: Environment, name: string): string | undefined {
  return [name, name.toUpperCase()].find((variable) => env[variable]?.trim());
}

/** Parses the value of `variable`. Its messages never quote `value`, as it may contain a password. */
function parseProxy(value: string, variable: string): Proxy {
  const full = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  // A password ends at a `#`, `/` or `?`, and its rest counts as something else.
  if (/[#/?].*@/.test(value.replace(/^.*?:\/\//, "")))
    throw usageFailure(`${variable} is not a proxy address`, encodeHint);
  if (!full?.hostname) throw usageFailure(`${variable} is not a proxy address`, hint);
  const { protocol, host, username, password } = full;
  if (protocol !== "http:" && protocol !== "https:")
    throw usageFailure(`${variable} names a ${protocol} proxy, which is not supported`, hint);
  const url = new URL(`${protocol}//${host}`);
  if (username === "" && password === "") return { url, variable };
  // Basic credentials (RFC 7617); in a URL they are percent-encoded.
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return { url, variable, authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns whether a `no_proxy` list (names with their subdomains, addresses and networks, with `:port` or not, `*`) covers `target`. */
function isExempt(target: URL, list: string): boolean {
  const host = stripBrackets(target.hostname);
  const port = target.port || (target.protocol === "https:" ? "443" : "80");
  const entries = list.toLowerCase().match(/[^\s,]+/g) ?? [];
  return entries.some((entry) => {
    if (entry === "*") return true;
    const [, name = entry, entryPort = port] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
    return entryPort === port && covers(stripBrackets(name), host);
  });
}

/** Returns a host name without the brackets of an IPv6 address and without a trailing dot. */
function stripBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/(?<=.)\.$/, "");
}

function covers(entry: string, host: string): boolean {
  const version = isIP(host);
  if (version !== 0) return isInNetwork(entry, host, version);
  const name = entry.replace(/^\*?\./, "");
  return name !== "" && (host === name || host.endsWith(`.${name}`));
}

/** Returns whether an address is `entry`, or in that network (RFC 4632, 3.1: `10.0.0.0/8`), as curl reads it. */
function isInNetwork(entry: string, host: string, version: number): boolean {
  const [, network = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const address = stripBrackets(network);
  const [family, length] = version === 4 ? (["ipv4", 32] as const) : (["ipv6", 128] as const);
  const prefix = Number(bits ?? length);
  if (isIP(address) !== version || address.includes("%") || prefix > length) return false;
  const list = new BlockList();
  list.addSubnet(address, prefix, family);
  return list.check(host, family);
}
