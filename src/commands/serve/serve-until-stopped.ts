import { singleQuote } from "../../core/shell-quote.ts";
import { isJson } from "../../output/formats/index.ts";
import type { TerminationSignal } from "../../platform/io.ts";
import { startJudging } from "../../server/judge/judge.ts";
import type { Context } from "../context.ts";
import { envLines, readyJson, readyText } from "./banner.ts";
import { clientReport } from "./client-report.ts";
import { detachedLog } from "./detach.ts";
import { openEnvFile, openReport } from "./output-file.ts";
import { openServeProfile } from "./serve-profile.ts";
import type { ServeSettings } from "./settings/settings.ts";
import { type Service, startService } from "./start-service.ts";

const signalExitCodes: Record<TerminationSignal, number> = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
};

/**
 * Serves until a signal, or in the background until `pets store stop`, then returns 0; a second signal exits at
 * once with its own exit code. Throws a Failure if the store can't be started, and a BrokenPipe if the
 * reader of the output has gone (`pets serve | true`).
 */
export async function serveUntilStopped(
  context: Context,
  settings: ServeSettings,
): Promise<number> {
  const envFile = openEnvFile(settings.envFile);
  const report = openReport(settings.report);
  const profile = await openServeProfile(context, settings);
  const judge = settings.isChecked || report ? startJudging() : undefined;
  const reportSince = (since: "reset" | "start") =>
    judge && clientReport(judge.verdict(since), []).json;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  let saved: string | undefined;
  const service = await startService(context, settings, {
    knownKeys: profile.knownKeys,
    judge,
    control: {
      stop: settings.isDetached ? () => (stop(), { pid: context.machine.pid }) : undefined,
      check: settings.isChecked ? () => reportSince("reset") ?? "" : undefined,
    },
    profile: () => saved,
  });
  const log = settings.startLog && detachedLog(context, settings.startLog, service.port);
  const { first, second, release } = twoSignals(context);
  let code = 0;
  try {
    context.signal.throwIfAborted();
    saved = await profile.save(service);
    envFile?.write(envLines(service));
    const text = readyOutput(context, settings, { service, profile: saved });
    if (log) {
      await context.note(
        `Stop it with \`${storeCommand(service, saved, "store stop")}\`. Its log is ${log.file}.`,
      );
      log.announce(text);
    } else await context.stdout.write(text);
    await Promise.race([first, stopped]);
  } finally {
    await profile.remove();
    code = await Promise.race([service.stop().then(() => 0), second]);
    release();
    report?.write(reportSince("start") ?? "");
    if (log) log.close();
  }
  return code;
}

/** Returns the first signal from now on, and the exit code of the second, until released. */
function twoSignals({ interceptSignals }: Context) {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<number>();
  let heard = false;
  const release = interceptSignals((signal) => {
    if (heard) second.resolve(signalExitCodes[signal]);
    heard = true;
    first.resolve();
  });
  return { first: first.promise, second: second.promise, release };
}

function readyOutput(
  context: Context,
  settings: ServeSettings,
  { service, profile }: { readonly service: Service; readonly profile: string | undefined },
): string {
  if (isJson(context.settings)) return readyJson(service, context);
  const command = storeCommand(service, profile, "list");
  return readyText(service, { command, secret: settings.apiKey });
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
