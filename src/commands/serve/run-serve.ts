import { maskKey } from "../../core/api-key.ts";
import { usageFailure } from "../../core/errors.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { escapeControls } from "../../core/sanitize.ts";
import { singleQuote } from "../../core/shell-quote.ts";
import { isJson } from "../../output/formats/index.ts";
import { keyId } from "../../server/keys.ts";
import { describePlan, parsePlan } from "../../server/rate-limits/plans.ts";
import type { Context } from "../context.ts";
import { serveWithChild } from "./child.ts";
import { clientReport } from "./client-report.ts";
import { detachedLog, startDetached } from "./detach.ts";
import type { IssuedKey } from "./issue-keys.ts";
import type { ServeOptions } from "./options.ts";
import { openEnvFile, openReport } from "./output-file.ts";
import { openServeProfile } from "./serve-profile.ts";
import { readServeSettings, type ServeSettings } from "./settings.ts";
import { type Service, startService } from "./start-service.ts";
import { listScenarios, runSuite } from "./suite/run-suite.ts";

/** Runs a store here, in the background, or for the command after `--`. Returns the exit code. */
export async function runServe(
  context: Context,
  words: readonly string[],
  options: ServeOptions,
): Promise<number> {
  if (options.list) return listScenarios(context, options);
  const settings = readServeSettings(context, words, options.suite ? { page: false } : options);
  const { command } = settings;
  if (options.suite && command === undefined)
    throw usageFailure(
      "--suite needs a command to judge",
      "Put it after `--`: `pets serve --suite -- ./test.sh`",
    );
  if (command !== undefined)
    return options.suite
      ? runSuite(context, options, settings, command)
      : serveWithChild(context, settings, command);
  if (settings.detach && settings.detached === undefined) return startDetached(context);
  await serveUntilStopped(context, settings);
  return 0;
}

/** Serves until a signal, or `pets store stop`; a second signal exits at once. Throws a Failure, also if the data is lost. */
async function serveUntilStopped(context: Context, settings: ServeSettings): Promise<void> {
  const envFile = openEnvFile(settings.writeEnv);
  const report = openReport(settings.report);
  const { machine } = context;
  const { pid } = machine;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const service = await startService(context, settings, {
    openProfile: (port) => openServeProfile(context, settings, port),
    stop: settings.detach ? () => (stop(), { pid, start: machine.startOf(pid) }) : undefined,
  });
  const log = settings.detached && detachedLog(context, settings.detached, service.port);
  let isStopping = false;
  const release = context.interceptSignals((signal) => {
    if (isStopping) context.exitNow(signal);
    isStopping = true;
    stop();
  });
  try {
    context.signal.throwIfAborted();
    envFile?.write(service);
    const pets = storeCommand(service);
    const kept = keptKey(context, settings, service.keys);
    const shownKey = kept === undefined ? service.keys[0].apiKey : `"$${kept.variable}"`;
    const text = isJson(context.settings)
      ? readyJson(service, context)
      : readyText(service, pets("list", shownKey), kept);
    if (log) {
      await context.note(
        `Stop it with \`${pets("store stop", kept && shownKey)}\`. Its log is ${log.file}.`,
      );
      log.announce(text);
    } else await context.stdout.write(text);
    const lost = await Promise.race([stopped, service.lost ?? stopped]);
    if (lost) throw lost;
  } finally {
    await service.stop();
    release();
    report?.write(clientReport(service.verdict("start"), []).json);
  }
  // After a failure its message is still to be written to it.
  if (log) log.close();
}

type KeptKey = ReturnType<typeof keptKey>;

/** Returns the first key, and where it is, if the user has it: others may read the log of a CI job. */
function keptKey(
  { settings: { quiet } }: Context,
  { apiKey, writeEnv }: ServeSettings,
  [first]: Service["keys"],
) {
  if (apiKey !== undefined)
    return { apiKey, variable: "PETS_SERVE_KEY", from: "from PETS_SERVE_KEY" };
  if (!quiet || writeEnv === undefined) return undefined;
  return { apiKey: first.apiKey, variable: "PETS_API_KEY", from: `in ${writeEnv}` };
}

/** Returns a function that returns a command line that runs `pets <command>` on the store. */
function storeCommand({ baseUrl, certificateToTrust: trusted, profile }: Service) {
  const env = trusted === undefined ? "" : `NODE_EXTRA_CA_CERTS=${singleQuote(trusted)} `;
  return (command: string, key = "…"): string =>
    profile === undefined
      ? `${env}PETS_BASE_URL=${baseUrl} PETS_API_KEY=${key} pets ${command}`
      : `${env}pets ${command} --profile ${profile}`;
}

type Shown = Pick<Service, "baseUrl" | "keys" | "data" | "page">;

/** Returns the one line of `pets serve --json`. */
export function readyJson({ baseUrl, keys, data, page }: Shown, { machine }: Context): string {
  const [{ apiKey, plan }] = keys;
  return `${stringifyExact({ baseUrl, apiKey, plan, keys, data, page, pid: machine.pid })}\n`;
}

/** Returns the lines for people; a key that is kept is masked. */
export function readyText(
  { baseUrl, keys, data, page }: Shown,
  example: string,
  kept: KeptKey,
): string {
  const lines = [
    `The store is ready at ${baseUrl}`,
    ...keys.map((key) => `Key   ${describeKey(key, kept)}`),
    `Data  ${data === "memory" ? "in memory (discarded on exit)" : data}`,
    `Try   ${example}`,
    ...(page === undefined ? [] : [`Page  ${page}`]),
  ];
  return lines.map((line) => `${escapeControls(line)}\n`).join("");
}

function describeKey({ apiKey, plan }: IssuedKey, kept: KeptKey): string {
  const shown = apiKey === kept?.apiKey ? `${maskKey(apiKey)} ${kept.from}` : apiKey;
  const known = parsePlan(plan);
  const allowed = known === undefined ? "" : `: ${describePlan(known)}`;
  return `${shown} (id ${keyId(apiKey)}, plan ${plan}${allowed})`;
}
