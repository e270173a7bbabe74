import path from "node:path";
import type { ApiEvent } from "../client/types.ts";
import { chosenProfile, targetFrom, type ServiceConnection } from "../config/connection.ts";
import type { NamedProfile } from "../config/profiles/profiles.ts";
import { labelledSettings } from "../config/setting-table.ts";
import { givenWithProfile, type Settings } from "../config/settings.ts";
import { maskKey } from "../core/api-key.ts";
import { Failure } from "../core/errors.ts";
import { isTable } from "../output/formats/index.ts";
import { limitRecord, limitSentences } from "../output/rate-limit-report.ts";
import {
  type ShownSettings,
  statusColumns,
  statusReport,
  type StatusReport,
} from "../output/status-report.ts";
import type { LimiterStatus } from "../rate-limiter/rules/status.ts";
import { recheckLimiter } from "./command-limiter.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";
import { openPrinter } from "./print.ts";
import { shownKey } from "./profile/record.ts";

/** The maximum wait for the rate limiter, in ms; a longer wait is reported instead. */
const maxWaitMs = 5000;

export const status = defineCommand({
  name: "status",
  summary: "show current settings and test the connection",
  columns: statusColumns,
  notes: [
    "It shows profile, base URL and key, and where each comes from; sends one request to see whether the service responds and accepts the key; and shows limits, files and versions. The report is printed even if something is wrong; the exit code is then that of the error.",
  ],
  examples: [
    { line: "pets status", stdout: /^Profile +default \(current\)\n[^]*accepts the key\n/ },
    { line: "pets status --profile staging --json | jq .keyAccepted", stdout: /^true\n$/ },
  ],
  run: runStatus,
});

/** Part of the report: what one step found, and what is wrong. */
interface Found extends Partial<StatusReport> {
  readonly failure?: Failure | undefined;
}

/** Reports what this command line would use, and whether it works. Throws the Failure of what does not. */
async function runStatus(context: Context): Promise<void> {
  const printer = await openPrinter(context, statusColumns);
  const sources = await findSources(context);
  const { connection, ...asked } = await askService(context, sources.failure);
  const limiter = connection && (await context.limiter(connection));
  await limiter?.sync();
  const limits = limiter?.status();
  const { failure, ...report } = {
    ...sources,
    ...asked,
    ...(connection && { key: maskKey(connection.apiKey) }),
    ...(limits && limitRecord(limits)),
  };
  const whole = { ...report, ...problemOf(failure), ...placeOf(context) };
  if (isTable(context.settings) && printer.fields === undefined)
    await printText(context, whole, limits);
  else await printer.print(whole);
  if (failure !== undefined) throw failure;
}

function problemOf(failure: Failure | undefined) {
  if (failure === undefined) return { ok: true, exitCode: 0 };
  return { ok: false, exitCode: failure.exitCode, problem: failure.message };
}

async function printText(
  { stdout }: Context,
  report: StatusReport,
  limits: LimiterStatus | undefined,
): Promise<void> {
  const width = stdout.isTTY ? stdout.columns : undefined;
  await stdout.write(statusReport(report, limits ? limitSentences(limits) : [], width));
}

/** Where files are kept, and what runs. */
function placeOf({ folders, program }: Context) {
  const { config, state, data, cache } = folders;
  return {
    configFile: path.join(config, "config.json"),
    stateFolder: state,
    dataFolder: data,
    cacheFolder: cache,
    version: program.version,
    node: program.nodeVersion,
    platform: program.platform,
  };
}

/** Returns settings and key, where each comes from, and why they can't be used together. */
async function findSources(context: Context): Promise<Found> {
  const { settings } = context;
  const { apiKey, baseUrl, given } = settings;
  const key = apiKey === undefined ? {} : { key: maskKey(apiKey), keyFrom: "PETS_API_KEY" };
  if (baseUrl !== undefined && apiKey !== undefined) {
    const { profile: _unused, ...used } = given;
    return { ...shownSettings(used), ...key };
  }
  let found: Found = { ...shownSettings(given), ...key };
  try {
    const data = await (await context.profiles()).read();
    const chosen = chosenProfile(settings, data);
    if (chosen !== undefined) {
      const { name, profile } = chosen;
      const shown = shownSettings(givenWithProfile(settings, name, profile));
      found = { ...savedKey(chosen), ...shown, ...key };
    }
    targetFrom(settings, data);
    return found;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...found, failure: error };
  }
}

/** Returns the settings that are shown, as far as they are given. */
function shownSettings(given: Settings["given"]): ShownSettings {
  const shown = new Map<string, string>();
  for (const { name, show = String } of labelledSettings) {
    const { value, from, place = from } = given[name] ?? {};
    if (value === undefined || place === undefined) continue;
    shown.set(name, show(String(value))).set(`${name}From`, place);
  }
  return Object.fromEntries(shown);
}

function savedKey({ name, profile }: NamedProfile): Found {
  const key = shownKey(profile);
  if (key === undefined) return {};
  const place = `profile ${name}`;
  return { key, keyFrom: profile.apiKey === undefined ? `key command of ${place}` : place };
}

/** Sends one request, once, unless `failure` prevents it; returns how it ended, and how long it took. */
async function askService(
  context: Context,
  failure: Failure | undefined,
): Promise<Found & { readonly connection?: ServiceConnection }> {
  if (failure !== undefined) return {};
  let connection: ServiceConnection | undefined;
  let last: Extract<ApiEvent, { type: "reply" | "failure" }> | undefined;
  const onEvent = (event: ApiEvent): void => {
    if (event.type === "reply" || event.type === "failure") last = event;
  };
  const seen = (): Found => ({
    ...(last && { ms: Math.round(last.ms), answered: last.type === "reply" }),
    ...(last?.type === "reply" && { status: last.status }),
  });
  try {
    connection = await context.connection();
    await recheckLimiter(context);
    const api = await context.api(connection, { maxSends: 1, maxWaitMs, onEvent });
    await api.list({ limit: 1 });
    return { ...seen(), keyAccepted: true, connection };
  } catch (error) {
    if (!(error instanceof Failure) || interruptions.has(error.kind)) throw error;
    const refused = connection !== undefined && error.kind === "auth";
    return {
      ...seen(),
      ...(refused && { keyAccepted: false }),
      failure: error,
      ...(connection && { connection }),
    };
  }
}

const interruptions: ReadonlySet<string> = new Set(["interrupted", "terminated"]);
