import { usageFailure } from "../../core/errors.ts";
import { isDatabaseUrl } from "../../server/storage/open.ts";
import {
  faultSyntax,
  latencySpelling,
  parseFaults,
  parseLatency,
} from "../../server/faults/fault-spec.ts";
import type { LabSettings } from "../../server/faults/plan.ts";
import type { DataOptions } from "./listen-options.ts";

/** The flags of the lab, as typed. */
export interface LabOptions extends DataOptions {
  readonly lab?: boolean;
  readonly latency?: string;
  readonly fault?: string;
  readonly faultSeed?: string;
}

const defaultSeed = "1";
const highestSeed = 2 ** 32 - 1;

/**
 * How the store is to misbehave; undefined where it is no lab. One is implied by memory and by a
 * command, but never on PostgreSQL, which others may use (store.md, Faults on demand). Throws a
 * usage Failure.
 */
export function readFaultOptions(
  options: LabOptions,
  hasCommand: boolean,
): LabSettings | undefined {
  const { data, memory } = options;
  const isShared = data !== undefined && isDatabaseUrl(data);
  const flag = firstFaultFlag(options);
  if (isShared && flag !== undefined)
    throw usageFailure(`${flag} can't be used with PostgreSQL: others may use the same data`);
  const isLab = !isShared && (options.lab === true || memory === true || hasCommand);
  if (!isLab && flag !== undefined)
    throw usageFailure(
      `${flag} needs --lab, which lets the store misbehave and its data be reset`,
      "--memory and a command behind -- imply it",
    );
  return isLab ? readSettings(options) : undefined;
}

function firstFaultFlag({ lab, latency, fault, faultSeed }: LabOptions): string | undefined {
  if (latency !== undefined) return "--latency";
  if (fault !== undefined) return "--fault";
  if (faultSeed !== undefined) return "--fault-seed";
  return lab === true ? "--lab" : undefined;
}

function readSettings({ latency, fault, faultSeed }: LabOptions): LabSettings {
  return {
    latency: read("--latency", latency ?? "0", parseLatency, latencySpelling),
    faults: fault === undefined ? new Map() : read("--fault", fault, parseNonEmpty, faultSyntax),
    seed: read(
      "--fault-seed",
      faultSeed ?? defaultSeed,
      parseSeed,
      `a whole number from 0 to ${highestSeed}`,
    ),
  };
}

function parseNonEmpty(text: string) {
  return text === "" ? undefined : parseFaults(text);
}

function parseSeed(text: string): number | undefined {
  const seed = /^(?:0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Infinity;
  return seed <= highestSeed ? seed : undefined;
}

function read<T>(
  flag: string,
  text: string,
  parse: (text: string) => T | undefined,
  spelling: string,
): T {
  const value = parse(text);
  if (value !== undefined) return value;
  throw usageFailure(`${flag} must be ${spelling}, not ${JSON.stringify(text)}`);
}
