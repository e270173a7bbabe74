import { type Failure, usageFailure } from "../core/errors.ts";
import { isLoopbackHost } from "../core/loopback.ts";

const scheme = /^([a-z][a-z0-9+.-]*):\/\//i;
const example = "such as https://store.example/v1";
// White space and control characters inside: the URL parser would silently drop them.
const forbidden = /[\s\u0000-\u001f\u007f]/;
const authority = /^[^/]*\/\/([^/\\?#]*)/;

/**
 * Parses a base URL: `https:`, or `http:` on a loopback host, or on any with `allowHttp`; without user
 * info, query and fragment (`help profiles`). `from` names the flag or
 * variable. Throws a usage Failure without anything that could be secret.
 */
export function parseBaseUrl(text: string, from: string, allowHttp: boolean): URL {
  const typed = text.trim();
  if (typed === "") throw usageFailure(`${from} must not be empty`, `Use a URL ${example}.`);
  refuseParts(typed, from);
  const name = scheme.exec(typed)?.[1]?.toLowerCase();
  if (name === undefined) throw schemeMissing(typed, from);
  if (name !== "https" && name !== "http")
    throw usageFailure(`${from} must begin with https:// or http://, not ${name}://`);
  const url = URL.parse(typed);
  if (url === null) throw usageFailure(`${from} must be a URL ${example}, not ${shown(typed)}`);
  return refusePlainHttp(url, from, allowHttp);
}

/** Throws if `typed` contains what a base URL must not contain, without showing it. */
function refuseParts(typed: string, from: string): void {
  const part = forbiddenPart(typed);
  if (part !== undefined)
    throw usageFailure(`${from} must not contain ${part}`, `Use a URL ${example}.`);
}

function forbiddenPart(typed: string): string | undefined {
  if (forbidden.test(typed)) return "white space or control characters";
  const beforePath = authority.exec(typed)?.[1] ?? typed.split(/[/?#]/)[0] ?? "";
  if (beforePath.includes("@")) return "a user name or a password";
  if (typed.includes("?")) return "a query (?…)";
  if (typed.includes("#")) return "a fragment (#…)";
  return undefined;
}

function schemeMissing(typed: string, from: string): Failure {
  const problem = `${from} must begin with https:// or http://, not ${shown(typed)}`;
  const guess = URL.parse(`http://${typed}`);
  if (guess === null || typed.includes("@") || /^[a-z]+:\//i.test(typed))
    return usageFailure(problem);
  const likely = isLoopbackHost(guess.hostname) ? "http" : "https";
  return usageFailure(problem, `Did you mean "${likely}://${typed}"?`);
}

function refusePlainHttp(url: URL, from: string, allowHttp: boolean): URL {
  if (url.protocol === "https:" || allowHttp || isLoopbackHost(url.hostname)) return url;
  throw usageFailure(
    `${from} must use https; http would send the API key unencrypted to ${url.host}`,
    "Use https, or allow http for this command with `--allow-http`.",
  );
}

/** Returns the base URL of a profile without the user name and password that the file may contain. */
export function showBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (!text.includes("@") || (url !== null && url.username + url.password === "")) return text;
  return url === null ? "…" : `${url.protocol}//…@${url.host}${url.pathname}`;
}

// An address that can't be parsed may contain a password anywhere if it contains an @.
function shown(typed: string): string {
  return typed.includes("@") ? "what was given" : JSON.stringify(typed);
}
