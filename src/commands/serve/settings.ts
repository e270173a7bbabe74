import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { parseApiKey } from "../../core/api-key.ts";
import { orIoFailure, usageFailure } from "../../core/errors.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import { ApiError } from "../../server/api/errors.ts";
import {
  allowedLatency,
  faultProblem,
  type FaultShares,
  type Latency,
  parseFaults,
  parseLatency,
} from "../../server/lab/fault-spec.ts";
import { parseScript, type ScriptStep } from "../../server/lab/script.ts";
import { parsePlan, type Plan, planProblem } from "../../server/rate-limits/plans.ts";
import { isDatabaseUrl } from "../../server/storage/open.ts";
import type { Context } from "../context.ts";
import type { ServeOptions } from "./command.ts";

/** A command and its arguments. */
export type ChildCommand = readonly [string, ...string[]];

/** The options of `pets serve`, checked and completed (`help store`). */
export type ServeSettings = ReturnType<typeof readServeSettings>;

export const defaultPort = 4010;

/** Returns the settings of `pets serve`; `words` are its operands. Throws a usage Failure. */
export function readServeSettings(
  context: Context,
  words: readonly string[],
  options: ServeOptions,
) {
  const command = parseChildCommand(words, context.argv);
  const hasCommand = command !== undefined;
  checkMode(options, hasCommand);
  const { data, memory, page, plan = [], script } = options;
  const inMemory = memory === true || (hasCommand && data === undefined);
  const key = context.env.PETS_SERVE_KEY?.trim();
  const address = readAddress(context, options);
  return {
    ...options,
    ...address,
    /** The data file, or the URL of a database; undefined for memory. */
    file: inMemory ? undefined : dataPlace(context, data),
    port: options.port ?? (hasCommand ? 0 : defaultPort),
    /** One key each; without any, one with the default. */
    plans: plan.map(parsePlanOption),
    apiKey: key ? parseApiKey(key, "PETS_SERVE_KEY") : undefined,
    /** Undefined if fault injection is off. */
    faults: readFaultOptions(options, hasCommand),
    script: script === undefined ? [] : readScriptFile(script),
    hasPage: page !== false && isLoopbackHost(address.host),
    command,
  };
}

/** Throws a usage Failure for options that do not go with a command, or without one. */
function checkMode({ detach, check, report }: ServeOptions, hasCommand: boolean): void {
  if (detach === true && hasCommand)
    throw usageFailure(
      "--detach and a command cannot be used together: the store stops when the command ends",
    );
  if (hasCommand || detach === true || (check !== true && report === undefined)) return;
  throw usageFailure(
    `${check === true ? "--check" : "--report"} needs a command to run, or --detach`,
    "Put a command after `--`: `pets serve --check -- ./test.sh`",
  );
}

/**
 * Returns the command in `pets serve -- command args…`, or undefined without `--`. `words` are the operands as parsed,
 * `argv` is the command line as typed. Throws a usage Failure for operands before `--`, and for a `--` without a command.
 */
export function parseChildCommand(
  words: readonly string[],
  argv: readonly string[],
): ChildCommand | undefined {
  const end = argv.indexOf("--");
  const after = end === -1 ? 0 : argv.length - end - 1;
  if (words.length > after)
    throw usageFailure(
      `pets serve takes no argument ${JSON.stringify(words[0])}`,
      "Put a command to run after `--`: `pets serve -- pets list`",
    );
  if (end === -1) return undefined;
  const [command, ...rest] = words;
  if (command === undefined) throw usageFailure("no command after --");
  return [command, ...rest];
}

/** Returns the plan that `--plan` names. Throws a usage Failure. */
export function parsePlanOption(text: string): Plan {
  const plan = parsePlan(text);
  if (plan === undefined) throw usageFailure(`--plan: ${planProblem(text)}`);
  return plan;
}

/** Returns where the store listens; other machines reach it only with TLS or --allow-http. Throws a usage Failure. */
function readAddress({ settings }: Context, options: ServeOptions) {
  const { host = "127.0.0.1", tlsCert: cert, tlsKey: key } = options;
  const tls = cert !== undefined && key !== undefined ? { cert, key } : undefined;
  if (tls || settings.allowHttp || isLoopbackHost(host)) return { host, tls };
  throw usageFailure(
    `--host ${host} is reachable from other machines: without TLS, API keys would be sent unencrypted`,
    "Use TLS, with `--tls-cert` and `--tls-key`, or allow it with `--allow-http`.",
  );
}

/** Matches database URLs, even mistyped ones: no file may be named after a password. */
const looksLikeUrl = /^\s*(?:[a-z][a-z0-9+.-]+:\/\/|postgres(?:ql)?:)/i;

/** Returns the file or URL that `--data` names; without it, a file in the data directory. Throws a usage Failure. */
export function dataPlace({ folders }: Context, data: string | undefined): string {
  if (data === undefined) return path.join(folders.data, "store.db");
  if (data !== "" && (isDatabaseUrl(data) || !looksLikeUrl.test(data))) return data;
  throw usageFailure(
    "--data must be a file name or a URL such as postgres://user@host:5432/database",
  );
}

const labOnly = ["lab", "latency", "fault", "faultSeed", "script", "clock", "ban", "cors"] as const;

/**
 * Returns the settings of fault injection; undefined if it is off. It is on with `--lab`, and implied by memory and by a
 * command, but never with PostgreSQL, which others may use. Throws a usage Failure.
 */
function readFaultOptions(options: ServeOptions, hasCommand: boolean) {
  const { data = "", memory, lab, latency = "0", fault, faultSeed = 1 } = options;
  const isShared = isDatabaseUrl(data);
  if (!isShared && (lab === true || memory === true || hasCommand))
    return {
      latency: readLatency(latency),
      shares: fault === undefined ? new Map() : readShares("--fault", fault),
      faultSeed,
    };
  const option = labOnly.find((name) => options[name] !== undefined);
  if (option === undefined) return undefined;
  const flag = `--${option.replace("S", "-s")}`;
  throw isShared
    ? usageFailure(`${flag} cannot be used with PostgreSQL: other stores may use the same data`)
    : usageFailure(`${flag} needs --lab`, "`--memory` and a command after `--` imply it.");
}

/** Returns the latency that `--latency` names. Throws a usage Failure. */
export function readLatency(text: string): Latency {
  const latency = parseLatency(text);
  if (latency !== undefined) return latency;
  throw usageFailure(`--latency must be ${allowedLatency(text)}, not ${JSON.stringify(text)}`);
}

/** Returns the shares that `text`, the value of `name`, spells. Throws a usage Failure. */
export function readShares(name: string, text: string): FaultShares {
  const shares = text === "" ? undefined : parseFaults(text);
  if (shares === undefined) throw usageFailure(`${name}: ${faultProblem(text)}`);
  return shares;
}

/** Returns the text of a script. Throws an io Failure if it cannot be read, and a usage Failure if it is too large. */
export function readScriptText(file: string, maxBytes = 1_048_576): string {
  return orIoFailure(`cannot read the script ${file}`, () => {
    if (statSync(file).size <= maxBytes) return readFileSync(file, "utf8");
    throw usageFailure(`the script ${file} is larger than ${maxBytes / 1024} KiB`);
  });
}

/** Returns the steps in the file of `--script`. Throws a Failure; that of an invalid step names its line. */
function readScriptFile(file: string): readonly ScriptStep[] {
  try {
    return parseScript(readScriptText(file));
  } catch (error) {
    if (error instanceof ApiError) throw usageFailure(`the script ${file}: ${error.message}`);
    throw error;
  }
}
