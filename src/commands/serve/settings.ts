import { parseApiKey } from "../../core/api-key.ts";
import { usageFailure } from "../../core/errors.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import type { FaultSettings } from "../../server/faults/plan.ts";
import { parsePlan, type Plan, planSyntax } from "../../server/rate-limits/plans.ts";
import type { Context } from "../context.ts";
import { type FaultOptions, readFaultOptions } from "./fault-options.ts";
import {
  type ListenAddress,
  type AddressOptions,
  type DataLocation,
  readAddress,
  readData,
} from "./listen-options.ts";

/** The flags of `pets serve`, as typed. */
export interface ServeOptions extends AddressOptions, FaultOptions {
  readonly port?: string;
  readonly seed?: string;
  readonly plan?: readonly string[];
  readonly clock?: string;
  /** False for --no-page. */
  readonly page?: boolean;
  readonly check?: boolean;
  readonly report?: string;
}

/** The flags of `pets serve`, checked and completed (store.md, Starting it). */
export interface ServeSettings extends ListenAddress, DataLocation {
  readonly port: number;
  readonly seed: number | string | undefined;
  /** One key each; at least one. */
  readonly plans: readonly [Plan, ...Plan[]];
  /** The key from PETS_SERVE_KEY. */
  readonly apiKey: string | undefined;
  /** When the store's time begins, in ms since the epoch; undefined for the machine's clock. */
  readonly clockStart: number | undefined;
  /** The settings of fault injection; undefined if it is off. */
  readonly faults: FaultSettings | undefined;
  /** Whether there is a page, which only this machine can have. */
  readonly hasPage: boolean;
  /** Whether the clients of the command are judged, and the exit code shows it. */
  readonly isChecked: boolean;
  /** The file for the report on the clients of the command. */
  readonly report: string | undefined;
  readonly command: readonly [string, ...string[]] | undefined;
}

const defaultPort = 4010;
const maxPort = 65_535;
const maxSamplePets = 10_000_000;

/** Returns the checked flags of `pets serve`. `words` are its operands. Throws a usage Failure. */
export function readServeSettings(
  context: Context,
  words: readonly string[],
  options: ServeOptions,
): ServeSettings {
  const command = parseChildCommand(words, context.argv);
  const key = context.env.PETS_SERVE_KEY?.trim();
  const address = readAddress(context, options);
  return {
    port: options.port === undefined ? (command ? 0 : defaultPort) : parsePort(options.port),
    ...address,
    ...readData(context, options, command !== undefined),
    seed: options.seed === undefined ? undefined : parseSeed(options.seed),
    plans: readPlans(options.plan?.length ? options.plan : [command ? "enterprise" : "free"]),
    apiKey: key ? parseApiKey(key, "PETS_SERVE_KEY") : undefined,
    clockStart: options.clock === undefined ? undefined : parseIsoTime(options.clock, "--clock"),
    faults: readFaultOptions(options, command !== undefined),
    hasPage: options.page !== false && isLoopbackHost(address.host),
    ...readCheckOptions(options, command !== undefined),
    command,
  };
}

function readCheckOptions({ check, report }: ServeOptions, hasCommand: boolean) {
  const flag = check === true ? "--check" : "--report";
  if (!hasCommand && (check === true || report !== undefined))
    throw usageFailure(
      `${flag} needs a command, whose clients it judges`,
      "put one after --: `pets serve --check -- ./test.sh`",
    );
  if (report === "") throw usageFailure('--report must be a file name, not ""');
  return { isChecked: check === true, report };
}

/**
 * Returns the command in `pets serve -- command args…`, or undefined without `--`. `words` are the
 * operands as parsed, `argv` is the command line as typed. Throws a usage Failure for operands
 * before `--`, and for a `--` without a command.
 */
export function parseChildCommand(
  words: readonly string[],
  argv: readonly string[],
): readonly [string, ...string[]] | undefined {
  const end = argv.indexOf("--");
  const behind = end === -1 ? 0 : argv.length - end - 1;
  const [before] = words.slice(0, Math.max(0, words.length - behind));
  if (before !== undefined)
    throw usageFailure(
      `pets serve takes no argument ${JSON.stringify(before)}`,
      "put a command to run after --: `pets serve -- pets list`",
    );
  if (end === -1) return undefined;
  const [command, ...rest] = words;
  if (command === undefined) throw usageFailure("no command after --");
  return [command, ...rest];
}

function parsePort(text: string): number {
  const port = /^(?:0|[1-9][0-9]{0,4})$/.test(text) ? Number(text) : Infinity;
  if (port <= maxPort) return port;
  throw usageFailure(`--port must be a whole number from 0 to ${maxPort}, not ${quoted(text)}`);
}

function parseSeed(text: string): number | string {
  if (text === "") throw usageFailure('--seed must be a number or a file, not ""');
  if (!/^[-+]?[0-9]+$/.test(text)) return text;
  const count = /^(?:0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : Infinity;
  if (count <= maxSamplePets) return count;
  throw usageFailure(
    `--seed must be a whole number from 0 to ${maxSamplePets}, or a file, not ${quoted(text)}`,
  );
}

function readPlans(texts: readonly string[]): readonly [Plan, ...Plan[]] {
  const [first, ...others] = texts.map(parsePlanFlag);
  if (first === undefined) throw usageFailure(`--plan must be ${planSyntax}`);
  return [first, ...others];
}

/** Returns the plan that `--plan` names. Throws a usage Failure. */
export function parsePlanFlag(text: string): Plan {
  const plan = parsePlan(text);
  if (plan !== undefined) return plan;
  throw usageFailure(`--plan must be ${planSyntax}, not ${quoted(text)}`);
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

const isoPattern =
  /^(?<date>\d{4}-\d\d-\d\d)(?:[T ](?<time>\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?<zone>Z|[+-]\d\d:?\d\d)?)?$/i;

/**
 * Returns the time that `text` names in ISO 8601, in ms since the epoch: a date, or a date and a
 * time, UTC by default, from 1970 to 9999. `name` is the flag. Throws a usage Failure.
 */
export function parseIsoTime(text: string, name: string): number {
  const groups = isoPattern.exec(text)?.groups;
  const moment = groups === undefined ? Number.NaN : toMoment(groups);
  if (moment >= 0 && moment < Date.UTC(9999, 11, 31)) return moment;
  const allowed = "a time in ISO 8601 from 1970 to 9999, such as 2030-12-05T00:00:00Z";
  throw usageFailure(`${name} must be ${allowed}, not ${JSON.stringify(text)}`);
}

function toMoment({ date = "", time = "00:00", zone = "Z" }: Record<string, string>): number {
  // `Date` accepts 30 February as 2 March.
  const day = Date.parse(`${date}T00:00Z`);
  const isOnCalendar = !Number.isNaN(day) && new Date(day).toISOString().startsWith(date);
  const offset = zone.replace(/(\d\d):?(\d\d)$/, "$1:$2").toUpperCase();
  return isOnCalendar ? Date.parse(`${date}T${time}${offset}`) : Number.NaN;
}
