import { InvalidArgumentError } from "@commander-js/extra-typings";
import { maxSeed } from "../../../core/api.ts";
import { parseDuration, parseIsoTime } from "../../../core/times.ts";
import { countWithin, parserOf } from "../../arguments.ts";

/** Returns `text` as `URL.hostname` has it: IPv6 in brackets. Throws a usage Failure. */
export const parseHost = parserOf("a host name or an IP address", (text) => {
  const bare = text.includes(":") && !text.startsWith("[") ? `[${text}]` : text;
  const url = /^[\w.:[\]-]+$/.test(bare) ? URL.parse(`http://${bare}`) : null;
  return url?.port === "" ? url.hostname : undefined;
});

const parseSampleCount = countWithin({ min: 0, max: maxSeed });

/** Returns how many sample animals `text` asks for, or the file that it names. Throws a usage Failure. */
export function parseSeed(text: string): number | string {
  if (text === "") throw new InvalidArgumentError("It must be a number or a file.");
  return /^[-+]?[0-9]+$/.test(text) ? parseSampleCount(text) : text;
}

const maxBanMs = 24 * 60 * 60_000;

/** Returns the ms that `text`, the value of the option `name`, spells. Throws a usage Failure. */
export const parseBan = parserOf("a duration from 1s to 1d, such as 5s or 10m", (text) => {
  const ms = parseDuration(text, { hasDays: true });
  return ms !== undefined && ms >= 1_000 && ms <= maxBanMs ? ms : undefined;
});

/** Returns `text` as browsers send it in `Origin` (RFC 6454, 6.1). Throws a usage Failure. */
export const parseOrigin = parserOf("an origin, such as http://localhost:5173", (text) =>
  /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(text) ? URL.parse(text)?.origin : undefined,
);

/**
 * Returns the time that `text` names in ISO 8601, in ms since the epoch: a date, or a date and a
 * time, UTC by default, from 1970 to 9999. `name` is the flag. Throws a usage Failure.
 */
export const parseTimeOption = parserOf(
  "a time in ISO 8601 from 1970 to 9999, such as 2030-12-05T00:00:00Z",
  parseIsoTime,
);
