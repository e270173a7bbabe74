import path from "node:path";
import { Command } from "@commander-js/extra-typings";
import type { ApiEvent } from "../client/types.ts";
import { showBaseUrl } from "../config/base-url.ts";
import { chosenProfile, targetFrom, type ServiceConnection } from "../config/connection.ts";
import type { NamedProfile } from "../config/profiles/profiles.ts";
import { givenSetting, type Settings, withProfile } from "../config/settings.ts";
import { maskKey } from "../core/api-key.ts";
import { Failure } from "../core/errors.ts";
import { examples } from "../help/command-help.ts";
import { isTable } from "../output/formats/index.ts";
import { limitRecord, limitSentences } from "../output/rate-limit-report.ts";
import { statusColumns, statusReport, type StatusReport } from "../output/status-report.ts";
import type { LimiterStatus } from "../rate-limiter/rules/status.ts";
import { action } from "./action.ts";
import { recheckLimiter } from "./command-limiter.ts";
import type { Context } from "./context.ts";
import { shownKey } from "./profile/record.ts";

/** The maximum wait for the rate limiter, in ms; a longer wait is reported instead. */
const maxWaitMs = 5000;

export const status = () =>
  new Command("status")
    .summary("show current settings and test the connection")
    .configureHelp({ columns: statusColumns })
    .addHelpText(
      "after",
      `
It shows profile, base URL and key, and where each comes from; sends
one request to see whether the service responds and accepts the key;
and shows limits, files and versions. The report is printed even if
something is wrong; the exit code is then that of the error.`,
    )
    .addHelpText(
      "after",
      examples("pets status", "pets status --profile staging --json | jq .keyAccepted"),
    )
    .action(action(runStatus));

/** Part of the report: what one step found, and what is wrong. */
interface Found extends Partial<StatusReport> {
  readonly failure?: Failure | undefined;
}

/** Reports what this command line would use, and whether it works. Throws the Failure of what does not. */
async function runStatus(context: Context): Promise<void> {
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
  if (isTable(context.settings) && context.settings.fields === undefined)
    await printText(context, whole, limits);
  else await context.print(whole, statusColumns);
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

/** Where files are, and the versions. */
function placeOf({ folders, program }: Context) {
  const { config, state, data, cache } = folders;
  return {
    configFile: path.join(config, "config.json"),
    stateDirectory: state,
    dataDirectory: data,
    cacheDirectory: cache,
    version: program.version,
    node: program.nodeVersion,
    platform: program.platform,
  };
}

/** Returns settings and key, where each comes from, and why they can't be used together. */
async function findSources(context: Context): Promise<Found> {
  const { settings } = context;
  const { apiKey, baseUrl } = settings;
  const key = apiKey === undefined ? {} : { key: maskKey(apiKey), keyFrom: "PETS_API_KEY" };
  if (baseUrl !== undefined && apiKey !== undefined)
    return { ...shown(settings, "baseUrl", showBaseUrl), ...key };
  const found: Found[] = [];
  try {
    const data = await (await context.profiles()).read();
    const chosen = chosenProfile(settings, data);
    if (chosen !== undefined) {
      found.push(savedKey(chosen));
      withProfile(settings, chosen.name, chosen.profile);
    }
    targetFrom(settings, data);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    found.push({ failure: error });
  }
  return Object.assign(
    {},
    shown(settings, "profile"),
    shown(settings, "baseUrl", showBaseUrl),
    ...found,
    key,
  );
}

/** Returns a setting and where it comes from, if it is given. */
function shown(
  settings: Settings,
  name: "profile" | "baseUrl",
  show = (text: string) => text,
): Found {
  const given = givenSetting(settings, name);
  return given === undefined ? {} : { [name]: show(given.value), [`${name}From`]: given.from };
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
  let seen: Found = {};
  const onEvent = (event: ApiEvent): void => {
    if (event.type === "reply")
      seen = { ms: Math.round(event.ms), answered: true, status: event.status };
    if (event.type === "failure") seen = { ms: Math.round(event.ms), answered: false };
  };
  try {
    connection = await context.connection();
    await recheckLimiter(context);
    const api = await context.api(connection, { maxSends: 1, maxWaitMs, onEvent });
    await api.list({ limit: 1 });
    return { ...seen, keyAccepted: true, connection };
  } catch (error) {
    if (!(error instanceof Failure) || ["interrupted", "terminated"].includes(error.kind))
      throw error;
    if (connection === undefined) return { failure: error };
    const refused = error.kind === "auth" && { keyAccepted: false };
    return { ...seen, ...refused, failure: error, connection };
  }
}
