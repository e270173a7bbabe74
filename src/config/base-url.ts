import { type Failure, usageFailure } from "../core/errors.ts";
import { isLoopbackHost } from "../core/loopback.ts";

const scheme = /^([a-z][a-z0-9+.-]*):\/\//i;
const example = "such as https://store.example/v1";
const authority = /^[^/]*\/\/([^/\\?#]*)/;

/**
 * Parses a base URL: `https:`, or `http:` on a loopback host, or on any with `allowHttp`; without user info, query and
 * fragment (`help profiles`). Throws a usage Failure that names the flag or variable `from`, and nothing secret.
 */
export function parseBaseUrl(text: string, from: string, allowHttp: boolean): URL {
  const typed = text.trim();
  const problem = problemOf(typed);
  if (problem !== undefined)
    throw usageFailure(`${from} must not ${problem}`, `Use a URL ${example}.`);
  const name = scheme.exec(typed)?.[1]?.toLowerCase();
  if (name === undefined) throw schemeMissing(typed, from);
  if (name !== "https" && name !== "http")
    throw usageFailure(`${from} must begin with https:// or http://, not ${name}://`);
  const url = URL.parse(typed);
  if (url === null) throw usageFailure(`${from} must be a URL ${example}, not ${shown(typed)}`);
  if (url.protocol === "https:" || allowHttp || isLoopbackHost(url.hostname)) return url;
  throw usageFailure(
    `${from} must use https; http would send the API key unencrypted to ${url.host}`,
    "Use https, or allow http for this command with `--allow-http`.",
  );
}

function problemOf(typed: string): string | undefined {
  if (typed === "") return "be empty";
  // The URL parser would silently drop them.
  if (/[\s\u0000-\u001f\u007f]/.test(typed)) return "contain white space or control characters";
  const beforePath = authority.exec(typed)?.[1] ?? typed.split(/[/?#]/)[0] ?? "";
  if (beforePath.includes("@")) return "contain a user name or a password";
  if (typed.includes("?")) return "contain a query (?…)";
  return typed.includes("#") ? "contain a fragment (#…)" : undefined;
}

function schemeMissing(typed: string, from: string): Failure {
  const problem = `${from} must begin with https:// or http://, not ${shown(typed)}`;
  const guess = URL.parse(`http://${typed}`);
  if (guess === null || typed.includes("@") || /^[a-z]+:\//i.test(typed))
    return usageFailure(problem);
  const likely = isLoopbackHost(guess.hostname) ? "http" : "https";
  return usageFailure(problem, `Did you mean "${likely}://${typed}"?`);
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
