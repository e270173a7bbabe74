import { parseDuration, parseIsoTime } from "../../../core/times.ts";
import { usageFailure } from "../../../core/errors.ts";
import { parseCount } from "../../arguments.ts";

/** Returns `text` as `URL.hostname` has it: IPv6 in brackets. Throws a usage Failure. */
export function parseHost(text: string, name: string): string {
  const bare = text.includes(":") && !text.startsWith("[") ? `[${text}]` : text;
  const url = /^[\w.:[\]-]+$/.test(bare) ? URL.parse(`http://${bare}`) : null;
  if (url !== null && url.port === "") return url.hostname;
  throw usageFailure(`${name} must be a host name or an IP address, not ${JSON.stringify(text)}`);
}

const sampleCounts = { min: 0, max: 10_000_000 };

/** Returns how many sample animals `text` asks for, or the file that it names. Throws a usage Failure. */
export function parseSeed(text: string, name: string): number | string {
  if (text === "") throw usageFailure(`${name} must be a number or a file, not ""`);
  return /^[-+]?[0-9]+$/.test(text) ? parseCount(text, name, sampleCounts) : text;
}

const maxBanMs = 24 * 60 * 60_000;

/** Returns the ms that `text`, the value of the option `name`, spells. Throws a usage Failure. */
export function parseBan(text: string, name: string): number {
  const parse = (): number | undefined => {
    const ms = parseDuration(text, { hasDays: true });
    return ms !== undefined && ms >= 1_000 && ms <= maxBanMs ? ms : undefined;
  };
  return parseSpec(text, name, parse, "a duration from 1s to 1d, such as 5s or 10m");
}

/** Returns `text` as browsers send it in `Origin` (RFC 6454, 6.1). Throws a usage Failure. */
export function parseOrigin(text: string, name: string): string {
  const url = /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(text) ? URL.parse(text) : null;
  if (url !== null) return url.origin;
  throw usageFailure(
    `${name} must be an origin, such as http://localhost:5173, not ${JSON.stringify(text)}`,
  );
}

/**
 * Returns the time that `text` names in ISO 8601, in ms since the epoch: a date, or a date and a
 * time, UTC by default, from 1970 to 9999. `name` is the flag. Throws a usage Failure.
 */
export function parseTimeOption(text: string, name: string): number {
  const allowed = "a time in ISO 8601 from 1970 to 9999, such as 2030-12-05T00:00:00Z";
  return parseSpec(text, name, parseIsoTime, allowed);
}

/** Returns what `parse` makes of `text`, the value of `name`. Throws a usage Failure that shows the `syntax`. */
export function parseSpec<T>(
  text: string,
  name: string,
  parse: (text: string) => T | undefined,
  syntax: string,
): T {
  const value = parse(text);
  if (value !== undefined) return value;
  throw usageFailure(`${name} must be ${syntax}, not ${JSON.stringify(text)}`);
}
