import { isUnmistakable, maskKey } from "../core/api-key.ts";
import { usageFailure } from "../core/errors.ts";
import { isLoopbackHost } from "../core/loopback.ts";
import { closeMatch } from "../core/strings.ts";

/** Not before more slashes, or a second scheme, which the URL parser would take for a host. */
const scheme = /^([a-z][a-z0-9+.-]*):\/\/(?![\\/]|https?(?::[\\/]|[\\/]{2}))/i;
const example = "such as https://store.example/v1";
/** A host that can be meant if the scheme is wrong; a key or password has another form. */
const likelyHost =
  /^(?:localhost|\[[0-9a-f:]+\]|(?:\d{1,3}\.){3}\d{1,3}|(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24})(?::\d{1,5})?$/i;

/** Parses a base URL (`help profiles`). Throws a usage Failure that names the flag or variable, and nothing secret. */
export function parseBaseUrl(text: string, from: string, allowHttp: boolean): URL {
  const typed = text.trim();
  const problem = problemOf(typed);
  if (problem !== undefined)
    throw usageFailure(`${from} must not ${problem}`, `Use a URL ${example}.`);
  const [, name = ""] = scheme.exec(typed.toLowerCase()) ?? [];
  const isHttp = name === "https" || name === "http";
  const url = isHttp ? URL.parse(typed) : null;
  if (url !== null && isAllowed(url, allowHttp)) return url;
  if (url !== null)
    throw usageFailure(
      `${from} must use https; http would send the API key unencrypted to ${url.host}`,
      "Use https, or allow http for this command with `--allow-http`.",
    );
  const rule = /^https?:\/\//i.test(typed)
    ? `be a URL ${example}`
    : "begin with https:// or http://";
  const isOther = name !== "" && !isHttp && !isUnmistakable(name);
  const meant = meantUrl(typed, allowHttp);
  const hints = meant === undefined ? [] : [`Did you mean "${meant}"?`];
  throw usageFailure(
    `${from} must ${rule}, not ${isOther ? `${name}://` : shown(typed)}`,
    ...hints,
  );
}

function isAllowed({ protocol, hostname }: URL, allowHttp: boolean): boolean {
  return protocol === "https:" || allowHttp || isLoopbackHost(hostname);
}

function problemOf(typed: string): string | undefined {
  if (typed === "") return "be empty";
  // `docker run --env-file` and the like keep them.
  if (/^["'`]|["'`]$/.test(typed)) return "be in quotes, which the files of `--env-file` keep";
  // The URL parser would silently drop them.
  if (/[\s\u0000-\u001f\u007f]/.test(typed)) return "contain white space or control characters";
  const { username, password } = URL.parse(typed) ?? { username: "", password: "" };
  if (username !== "" || password !== "" || hostOf(partsOf(typed).rest).includes("@"))
    return "contain a user name or a password";
  if (typed.includes("?")) return "contain a query (?…)";
  return typed.includes("#") ? "contain a fragment (#…)" : undefined;
}

/** Returns the scheme that is meant, empty without one, undefined for another; and the `rest`, which begins with the host. */
function partsOf(typed: string): { readonly name: string | undefined; readonly rest: string } {
  const [, word = "", after = ""] = /^([a-z]+)[:;\\/]+(.*)$/is.exec(typed) ?? [];
  const name = closeMatch(word.toLowerCase(), ["https", "http"]);
  if (name !== undefined) {
    const inner = partsOf(after);
    return inner.name === "" ? { ...inner, name } : inner;
  }
  const rest = typed.replace(/^[a-z][a-z0-9+.-]*:(?=[\\/])/i, "");
  return { name: rest === typed ? "" : undefined, rest: rest.replace(/^[:\\/]+/, "") };
}

const hostOf = (rest: string): string => /^[^/\\?#]*/.exec(rest)?.[0] ?? "";

/** Returns whether host and path, as they are, contain neither a key nor a password. */
function isOpen(rest: string): boolean {
  const [host = "", ...names] = rest.split(/[\\/]/);
  return likelyHost.test(host) && !names.some(isUnmistakable);
}

/** Returns the URL that works and must be meant, if there is one. */
function meantUrl(typed: string, allowHttp: boolean): string | undefined {
  const { name, rest } = partsOf(typed);
  if (name === undefined || !isOpen(rest)) return undefined;
  const isLocal = isLoopbackHost(hostOf(rest).replace(/:\d+$/, ""));
  return [name || (isLocal ? "http" : "https"), "https"]
    .map((each) => `${each}://${rest.replaceAll("\\", "/")}`)
    .find((url) => URL.canParse(url) && isAllowed(new URL(url), allowHttp));
}

/** Quotes what is wrong, masked if it may be a key, or contain a password. */
function shown(typed: string): string {
  const isShort = !isUnmistakable(typed) && !typed.includes("@");
  return JSON.stringify(isShort || isOpen(partsOf(typed).rest) ? typed : maskKey(typed));
}
