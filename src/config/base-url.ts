import { maskKey } from "../core/api-key.ts";
import { type Failure, usageFailure } from "../core/errors.ts";
import { isLoopbackHost } from "../core/loopback.ts";

const scheme = /^([a-z][a-z0-9+.-]*):\/\//i;
/** A shorter text is no key that a service issues. */
const minKeyLength = 12;
const example = "such as https://store.example/v1";
/** What stands before the path, with or without a scheme, and after any number of slashes. */
const authority = /^(?:[a-z][a-z0-9+.-]*:(?=[\\/]))?[\\/]*([^/\\?#]*)/i;
/** A host that can be meant if the scheme is missing; a key has another form. */
const likelyHost =
  /^(?:localhost|\[[0-9a-f:]+\]|[\d.]+|(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24})(?::\d{1,5})?$/i;

/** Parses a base URL (`help profiles`). Throws a usage Failure that names the flag or variable, and nothing secret. */
export function parseBaseUrl(text: string, from: string, allowHttp: boolean): URL {
  const typed = text.trim();
  const problem = problemOf(typed);
  if (problem !== undefined)
    throw usageFailure(`${from} must not ${problem}`, `Use a URL ${example}.`);
  const url = URL.parse(typed);
  const name = scheme.exec(typed)?.[1]?.toLowerCase();
  if (name === undefined) throw schemeMissing(typed, from);
  if (name !== "https" && name !== "http")
    throw usageFailure(`${from} must begin with https:// or http://, not ${name}://`);
  if (url === null) throw usageFailure(`${from} must be a URL ${example}, not ${shown(typed)}`);
  if (url.protocol === "https:" || allowHttp || isLoopbackHost(url.hostname)) return url;
  throw usageFailure(
    `${from} must use https; http would send the API key unencrypted to ${url.host}`,
    "Use https, or allow http for this command with `--allow-http`.",
  );
}

function problemOf(typed: string): string | undefined {
  if (typed === "") return "be empty";
  // `docker run --env-file` and the like keep them.
  if (/^["'`]|["'`]$/.test(typed)) return "be in quotes, which the files of `--env-file` keep";
  // The URL parser would silently drop them.
  if (/[\s\u0000-\u001f\u007f]/.test(typed)) return "contain white space or control characters";
  const { username, password } = URL.parse(typed) ?? { username: "", password: "" };
  if (username !== "" || password !== "" || authority.exec(typed)?.[1]?.includes("@"))
    return "contain a user name or a password";
  if (typed.includes("?")) return "contain a query (?…)";
  return typed.includes("#") ? "contain a fragment (#…)" : undefined;
}

function schemeMissing(typed: string, from: string): Failure {
  const problem = `${from} must begin with https:// or http://`;
  const host = authority.exec(typed)?.[1] ?? "";
  if (!likelyHost.test(host)) return usageFailure(`${problem}, not ${shown(typed)}`);
  const likely = isLoopbackHost(host.replace(/:\d+$/, "")) ? "http" : "https";
  return usageFailure(`${problem}, not "${typed}"`, `Did you mean "${likely}://${typed}"?`);
}

/** Quotes what is wrong, masked if it may be a key, or contain a password. */
function shown(typed: string): string {
  const isOpen = !typed.includes("@") && (scheme.test(typed) || typed.length < minKeyLength);
  return JSON.stringify(isOpen ? typed : maskKey(typed));
}
