import { parseApiKey } from "../../core/api-key.ts";
import { usageFailure } from "../../core/errors.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import type { FaultSettings } from "../../server/lab/plan.ts";
import { parsePlan, type Plan, planSyntax } from "../../server/rate-limits/plans.ts";
import type { ScriptStep } from "../../server/lab/script/parse-script.ts";
import type { Context } from "../context.ts";
import { readFaultOptions } from "./fault-options.ts";
import { type DataLocation, type ListenAddress, readAddress, readData } from "./listen-options.ts";
import type { ServeOptions } from "./options.ts";
import { readScriptFile } from "./script-file.ts";

/** The flags of `pets serve`, checked and completed (`help store`). */
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
  /** How long a ban lasts, in ms; undefined for the usual time. */
  readonly banMs: number | undefined;
  /** The script of the store's faults. */
  readonly script: readonly ScriptStep[];
  /** The origins whose pages may call the API. */
  readonly corsOrigins: readonly string[];
  /** Whether there is a page, which only this machine can have. */
  readonly hasPage: boolean;
  /** Whether a profile is saved. */
  readonly hasProfile: boolean;
  /** Whether the clients are judged, and the exit code shows it. */
  readonly isChecked: boolean;
  /** The file for the report on the clients. */
  readonly report: string | undefined;
  /** The file to which base URL and key are appended. */
  readonly envFile: string | undefined;
  /** Whether the store runs in the background. */
  readonly isDetached: boolean;
  /** The log with which this process was started, if it is the store in the background. */
  readonly startLog: string | undefined;
  readonly command: readonly [string, ...string[]] | undefined;
}

/** The flags of `pets serve --suite`, checked. */
export interface SuiteSettings {
  /** The scenarios to run; all if there are none. */
  readonly names: readonly string[];
  /** Whether they are only listed. */
  readonly isList: boolean;
  /** The directory for the output of the command. */
  readonly logs: string | undefined;
  /** The file for the results. */
  readonly report: string | undefined;
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
    faults: readFaultOptions(options, command !== undefined),
    clockStart: options.clock,
    banMs: options.ban,
    script: readScript(parseFileName("--script", options.script)),
    corsOrigins: options.cors ?? [],
    hasPage: options.page !== false && isLoopbackHost(address.host),
    hasProfile: options.profile !== false,
    envFile: parseFileName("--write-env", options.writeEnv),
    isDetached: readDetach(options, command !== undefined),
    startLog: options.detached,
    ...readCheckOptions(options, command !== undefined),
    command,
  };
}

/** The flags that go with `--suite`, by their names as options. */
const suiteFlags = new Set(["suite", "scenario", "list", "logs", "report", "profile", "page"]);

/** Returns the settings of the suite; undefined without `--suite`. Throws a usage Failure. */
export function readSuiteSettings(
  context: Context,
  words: readonly string[],
  options: ServeOptions,
): SuiteSettings | undefined {
  const { suite, scenario: names = [], list: isList = false, logs, report } = options;
  if (suite !== true) return undefined;
  const other = Object.entries(options).find(
    ([name, value]) => !suiteFlags.has(name) && isSet(value),
  );
  if (other !== undefined) {
    const flag = `--${other[0].replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw usageFailure(
      `--suite and ${flag} cannot be used together: each scenario has a store of its own`,
    );
  }
  if (!isList && parseChildCommand(words, context.argv) === undefined)
    throw usageFailure(
      "--suite needs a command, which it judges",
      "put one after --: `pets serve --suite -- ./test.sh`",
    );
  const [logFolder, file] = [parseFileName("--logs", logs), parseFileName("--report", report)];
  return { names, isList, logs: logFolder, report: file };
}

function isSet(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

function readDetach({ detach = false }: ServeOptions, hasCommand: boolean): boolean {
  if (detach && hasCommand)
    throw usageFailure(
      "--detach and a command cannot be used together: the store stops when the command ends",
    );
  return detach;
}

function readCheckOptions({ check, report, detach }: ServeOptions, hasCommand: boolean) {
  const flag = check === true ? "--check" : "--report";
  if (!hasCommand && detach !== true && (check === true || report !== undefined))
    throw usageFailure(
      `${flag} needs a command to run, or --detach`,
      "put a command after --: `pets serve --check -- ./test.sh`",
    );
  return { isChecked: check === true, report: parseFileName("--report", report) };
}

function readScript(file: string | undefined): readonly ScriptStep[] {
  return file === undefined ? [] : readScriptFile(file);
}

function parseFileName(flag: string, file: string | undefined): string | undefined {
  if (file === "") throw usageFailure(`${flag} must be a file name, not ""`);
  return file;
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
