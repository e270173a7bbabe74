import { usageFailure } from "../../core/errors.ts";
import { isDatabaseUrl } from "../../server/storage/open.ts";
import {
  faultSyntax,
  latencySyntax,
  parseFaults,
  parseLatency,
} from "../../server/lab/fault-spec.ts";
import type { FaultSettings } from "../../server/lab/plan.ts";
import type { ServeOptions } from "./options.ts";

const defaultSeed = "1";
const maxSeed = 2 ** 32 - 1;

/**
 * Returns the settings of fault injection, or undefined if it is off. It is on with `--lab`, and
 * implied by memory and by a command, but never with PostgreSQL, which others may use. Throws a usage
 * Failure.
 */
export function readFaultOptions(
  options: ServeOptions,
  hasCommand: boolean,
): FaultSettings | undefined {
  const { data, memory } = options;
  const isShared = data !== undefined && isDatabaseUrl(data);
  const flag = firstFaultFlag(options, isShared);
  if (isShared && flag !== undefined)
    throw usageFailure(
      `${flag} cannot be used with PostgreSQL: other stores may use the same data`,
    );
  const isEnabled = !isShared && (options.lab === true || memory === true || hasCommand);
  if (!isEnabled && flag !== undefined)
    throw usageFailure(`${flag} needs --lab`, "--memory and a command after -- imply it");
  return isEnabled ? readSettings(options) : undefined;
}

/** Returns the first of the flags that need a lab; undefined if none was typed. */
function firstFaultFlag(options: ServeOptions, isShared: boolean): string | undefined {
  const { latency, fault, faultSeed, script, ban, cors = [], lab } = options;
  // A database's clock decides on limits; there --clock only sets what the store says.
  const clock = isShared ? undefined : options.clock;
  const values = { latency, fault, "fault-seed": faultSeed, script, clock, ban, cors: cors[0] };
  const found = Object.entries(values).find(([, value]) => value !== undefined);
  if (found !== undefined) return `--${found[0]}`;
  return lab === true ? "--lab" : undefined;
}

function readSettings({ latency, fault, faultSeed }: ServeOptions): FaultSettings {
  return {
    latency: parseFlag("--latency", latency ?? "0", parseLatency, latencySyntax),
    faults:
      fault === undefined ? new Map() : parseFlag("--fault", fault, parseNonEmpty, faultSyntax),
    seed: parseFlag(
      "--fault-seed",
      faultSeed ?? defaultSeed,
      parseFaultSeed,
      `a whole number from 0 to ${maxSeed}`,
    ),
  };
}

function parseNonEmpty(text: string) {
  return text === "" ? undefined : parseFaults(text);
}

function parseFaultSeed(text: string): number | undefined {
  const seed = /^(?:0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Infinity;
  return seed <= maxSeed ? seed : undefined;
}

function parseFlag<T>(
  flag: string,
  text: string,
  parse: (text: string) => T | undefined,
  spelling: string,
): T {
  const value = parse(text);
  if (value !== undefined) return value;
  throw usageFailure(`${flag} must be ${spelling}, not ${JSON.stringify(text)}`);
}
