import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { parseApiKey } from "../../core/api-key.ts";
import { orIoFailure, usageFailure } from "../../core/errors.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import { ApiError } from "../../server/api/errors.ts";
import { faultSyntax, latencySyntax } from "../../server/lab/fault-spec.ts";
import { parseScript, type ScriptStep } from "../../server/lab/script.ts";
import { planSyntax } from "../../server/rate-limits/plans.ts";
import { isDatabaseUrl } from "../../server/storage/open.ts";
import { readText } from "../arguments.ts";
import type { Context } from "../context.ts";
import type { ServeOptions } from "./options.ts";

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
  const { data, memory, page, plan = [], script, detach, check, report, connections } = options;
  if (detach && hasCommand)
    throw usageFailure(
      "--detach and a command cannot be used together: the store stops when the command ends",
    );
  if (!hasCommand && !detach && (check || report !== undefined))
    throw usageFailure(
      `${check ? "--check" : "--report"} needs a command to run, or --detach`,
      "Put a command after `--`: `pets serve --check -- ./test.sh`",
    );
  if (connections !== undefined && !isDatabaseUrl(data ?? ""))
    throw usageFailure("--connections needs PostgreSQL: `--data postgres://…`");
  const { host = "127.0.0.1", tlsCert: cert, tlsKey } = options;
  const tls = cert !== undefined && tlsKey !== undefined ? { cert, key: tlsKey } : undefined;
  if (!tls && !context.settings.allowHttp && !isLoopbackHost(host))
    throw usageFailure(
      `--host ${host} is reachable from other machines: without TLS, API keys would be sent unencrypted`,
      "Use TLS, with `--tls-cert` and `--tls-key`, or allow it with `--allow-http`.",
    );
  const apiKey = context.env.PETS_SERVE_KEY?.trim();
  return {
    ...options,
    host,
    tls,
    /** The data file, or the URL of a database; undefined for memory. */
    file: memory || (hasCommand && data === undefined) ? undefined : dataPlace(context, data),
    port: options.port ?? (hasCommand ? 0 : defaultPort),
    /** One key each; without any, one with the default. */
    plans: plan.map((text) => readText("--plan", planSyntax, text)),
    apiKey: apiKey ? parseApiKey(apiKey, "PETS_SERVE_KEY") : undefined,
    /** Undefined if fault injection is off. */
    faults: readFaultOptions(options, hasCommand),
    script: script === undefined ? [] : readScriptFile(script),
    hasPage: page !== false && isLoopbackHost(host),
    command,
  };
}

/** Returns the command after `--`, if any; `words` are the operands, `argv` is what was typed. Throws a usage Failure. */
export function parseChildCommand(
  words: readonly string[],
  argv: readonly string[],
): ChildCommand | undefined {
  const end = argv.indexOf("--");
  const after = end === -1 ? 0 : argv.length - end - 1;
  if (words.length > after)
    throw usageFailure(
      `unexpected argument ${JSON.stringify(words[0])}`,
      "Put a command to run after `--`: `pets serve -- pets list`",
    );
  if (end === -1) return undefined;
  const [command, ...rest] = words;
  if (command === undefined) throw usageFailure("no command after --");
  return [command, ...rest];
}

/** Matches database URLs, even mistyped ones: no file may be named after a password. SQLite has other names for memory. */
const looksLikeUrl = /^\s*(?:[a-z][a-z0-9+.-]+:\/\/|postgres(?:ql)?:|file:|:memory:)/i;

/** Returns the file or URL that `--data` names; without it, a file in the data directory. Throws a usage Failure. */
export function dataPlace({ folders }: Context, data: string | undefined): string {
  if (data === undefined) return path.join(folders.data, "store.db");
  if (data !== "" && (isDatabaseUrl(data) || !looksLikeUrl.test(data))) return data;
  throw usageFailure(
    "--data must be a file name or a URL such as postgres://user@host:5432/database",
    ...(/^\s*(?:file|:memory):/i.test(data) ? ["To keep the data in memory, use `--memory`."] : []),
  );
}

const labOnly = ["lab", "latency", "fault", "faultSeed", "script", "clock", "ban", "cors"] as const;

/** Returns undefined without a lab, which memory and a command imply; never with PostgreSQL, which others may use. */
function readFaultOptions(options: ServeOptions, hasCommand: boolean) {
  const { data = "", memory, lab, latency = "0", fault, faultSeed = 1 } = options;
  const isShared = isDatabaseUrl(data);
  if (!isShared && (lab || memory || hasCommand))
    return {
      latency: readText("--latency", latencySyntax, latency),
      shares: readText("--fault", faultSyntax, fault) ?? new Map(),
      faultSeed,
    };
  const option = labOnly.find((name) => options[name] !== undefined);
  if (option === undefined) return undefined;
  const flag = `--${option.replace("S", "-s")}`;
  throw isShared
    ? usageFailure(`${flag} cannot be used with PostgreSQL: other stores may use the same data`)
    : usageFailure(`${flag} needs --lab`, "`--memory` and a command after `--` imply it.");
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
