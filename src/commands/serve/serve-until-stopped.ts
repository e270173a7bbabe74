import { singleQuote } from "../../core/shell-quote.ts";
import { isJson } from "../../output/formats/index.ts";
import type { Verdict } from "../../server/judge/judge.ts";
import type { Context } from "../context.ts";
import { envLines, readyJson, readyText } from "./banner.ts";
import { clientReport } from "./client-report.ts";
import { detachedLog } from "./detach.ts";
import { openEnvFile, openReport } from "./output-file.ts";
import { openServeProfile } from "./serve-profile.ts";
import type { ServeSettings } from "./settings/settings.ts";
import { type Service, startService } from "./start-service.ts";

/**
 * Serves until a signal, or in the background until `pets store stop`, then returns; a second signal exits at
 * once with its own exit code. Throws a Failure if the store can't be started, and a BrokenPipe if the
 * reader of the output has gone (`pets serve | true`).
 */
export async function serveUntilStopped(context: Context, settings: ServeSettings): Promise<void> {
  const envFile = openEnvFile(settings.writeEnv);
  const report = openReport(settings.report);
  const profile = await openServeProfile(context, settings);
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  let saved: string | undefined;
  const service = await startService(context, settings, {
    knownKeys: profile.knownKeys,
    isJudged: settings.check === true || report !== undefined,
    stop: settings.detach ? () => (stop(), { pid: context.machine.pid }) : undefined,
    formatVerdict: settings.check ? formatVerdict : undefined,
    profile: () => saved,
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
    saved = await profile.save(service);
    envFile?.write(envLines(service));
    const example = storeCommand(service, saved, "list");
    const text = isJson(context.settings)
      ? readyJson(service, context)
      : readyText(service, example, settings.apiKey);
    if (log) {
      await context.note(
        `Stop it with \`${storeCommand(service, saved, "store stop")}\`. Its log is ${log.file}.`,
      );
      log.announce(text);
    } else await context.stdout.write(text);
    await stopped;
  } finally {
    await profile.remove();
    await service.stop();
    release();
    report?.write(formatVerdict(service.verdict("start")));
    if (log) log.close();
  }
}

function formatVerdict(verdict: Verdict): string {
  return clientReport(verdict, []).json;
}

/** Returns a command line that runs `pets <command>` on the store. */
function storeCommand(
  { baseUrl, certificateToTrust }: Service,
  profile: string | undefined,
  command: string,
): string {
  const trusted =
    certificateToTrust === undefined
      ? ""
      : `NODE_EXTRA_CA_CERTS=${singleQuote(certificateToTrust)} `;
  return profile !== undefined
    ? `${trusted}pets ${command} --profile ${profile}`
    : `${trusted}PETS_BASE_URL=${baseUrl} PETS_API_KEY=… pets ${command}`;
}
