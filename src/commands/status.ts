import type { ApiEvent } from "../client/types.ts";
import type { ServiceConnection, ServiceSources } from "../config/connection.ts";
import { profileFile } from "../config/profiles/profile-file.ts";
import { maskKey } from "../core/api-key.ts";
import { Failure, isCancelled } from "../core/errors.ts";
import { isTable } from "../output/formats/index.ts";
import { limitRecord, limitSentences } from "../output/rate-limit-report.ts";
import { statusColumns, statusReport, type StatusReport } from "../output/status-report.ts";
import type { Context } from "./context.ts";
import { newCommand } from "./new-command.ts";
import { shownKey } from "./profile/record.ts";

/** A longer wait for the rate limiter is reported instead. */
const maxWaitMs = 5000;

export const status = (getContext: () => Context) =>
  newCommand("status", "show current settings and test the connection", {
    columns: statusColumns,
    examples: ["pets status", "pets status --profile staging --json | jq .keyAccepted"],
    notes:
      "It shows profile, base URL and key, and where each comes from; sends one request to see whether the service responds and accepts the key; and shows limits, files and versions. The report is printed even if something is wrong; the exit code is then that of the error.",
  }).action(() => runStatus(getContext()));

interface Found extends Partial<StatusReport> {
  readonly failure?: Failure | undefined;
}

/** Reports what this command line would use, and whether it works. Throws the Failure of what does not. */
async function runStatus(context: Context): Promise<void> {
  const { settings, folders, program, stdout } = context;
  const sources = reported(context, await context.service.sources());
  const { connection, ...asked } = await askService(context);
  const limiter = connection && (await context.service.limiter(connection));
  await limiter?.sync();
  const limits = limiter?.status();
  const { failure, ...found } = { ...sources, ...asked };
  const report: StatusReport = {
    ...found,
    ...(connection && { key: maskKey(connection.apiKey) }),
    ...(limits && limitRecord(limits)),
    ok: failure === undefined,
    exitCode: failure?.exitCode ?? 0,
    ...(failure && { problem: context.secrets.inMessage(failure.message) }),
    configFile: profileFile(folders.config),
    stateDirectory: folders.state,
    dataDirectory: folders.data,
    cacheDirectory: folders.cache,
    version: program.version,
    node: program.nodeVersion,
    platform: program.platform,
  };
  if (isTable(settings) && settings.fields === undefined) {
    const sentences = limits ? limitSentences(limits) : [];
    await stdout.write(statusReport(report, sentences, stdout.columns));
  } else await context.print(report);
  if (failure !== undefined) throw failure;
}

/** Returns what is reported of each part, and where it comes from. */
function reported({ secrets }: Context, { profile, baseUrl, key }: ServiceSources): Found {
  const redact = (text: string): string => secrets.inMessage(text);
  return {
    ...(profile && sourced("profile", redact(String(profile.value)), profile.from)),
    ...(baseUrl && sourced("baseUrl", redact(String(baseUrl.value)), baseUrl.from)),
    ...(key && sourced("key", redact(shownKey(key)), key.from)),
  };
}

function sourced(name: string, value: string | undefined, from: string): Found {
  return { [name]: value, [`${name}From`]: from };
}

/** Sends one request, once, if it can be sent; returns how it ended, and how long it took. */
async function askService(
  context: Context,
): Promise<Found & { readonly connection?: ServiceConnection }> {
  let connection: ServiceConnection | undefined;
  let seen: Found = {};
  let via: Found = {};
  const onEvent = (event: ApiEvent): void => {
    if (event.type === "reply")
      seen = { ms: Math.round(event.ms), answered: true, status: event.status };
    if (event.type === "failure") seen = { ms: Math.round(event.ms), answered: false };
  };
  try {
    connection = await context.service.connection();
    await context.service.recheckLimiter(connection);
    const options = { connection, maxSends: 1, maxWaitMs, despite503: true, onEvent };
    const api = await context.service.api(options);
    const { chooseProxy } = await import("../client/http/proxy.ts");
    const proxy = chooseProxy(connection.baseUrl, context.env);
    if (proxy !== undefined) via = sourced("proxy", proxy.url.origin, proxy.variable);
    await api.list({ limit: 1 });
    return { ...via, ...seen, keyAccepted: true, connection };
  } catch (error) {
    if (!(error instanceof Failure) || isCancelled(error)) throw error;
    if (connection === undefined) return { failure: error };
    const refused = error.kind === "auth" && { keyAccepted: false };
    return { ...via, ...seen, ...refused, failure: error, connection };
  }
}
