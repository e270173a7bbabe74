import { isJson } from "../../output/formats/index.ts";
import type { Context } from "../context.ts";
import type { TerminationSignal } from "../../platform/io.ts";
import { readyJson, readyText } from "./banner.ts";
import { openServeProfile, type ServeProfile } from "./serve-profile.ts";
import { type Service, startService } from "./start-service.ts";
import type { ServeSettings } from "./settings.ts";
import { singleQuote } from "../../core/shell-quote.ts";

const signalExitCodes: Record<TerminationSignal, number> = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
};

/**
 * Serves until a signal, then returns 0; a second signal exits at once with its own exit code.
 * Throws a Failure if the store can't be started, and a BrokenPipe if the reader of the output has
 * gone (`pets serve | true`).
 */
export async function serveForeground(context: Context, settings: ServeSettings): Promise<number> {
  const profile = await openServeProfile(context);
  const knownKeys = settings.file === undefined ? [] : profile.knownKeys;
  const service = await startService(context, settings, knownKeys);
  const { first, second, release } = twoSignals(context);
  let code = 0;
  try {
    context.signal.throwIfAborted();
    await announce(context, settings, { service, profile });
    await first;
  } finally {
    code = await Promise.race([service.stop().then(() => 0), second]);
    release();
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

async function announce(
  context: Context,
  settings: ServeSettings,
  { service, profile }: { readonly service: Service; readonly profile: ServeProfile },
): Promise<void> {
  const saved = await profile.save(service);
  service.nameProfile(saved);
  const command = tryCommand(service, saved);
  const text = isJson(context.settings)
    ? readyJson(service, context)
    : readyText(service, { command, secret: settings.apiKey });
  await context.stdout.write(text);
}

function tryCommand({ baseUrl, certificateToTrust }: Service, profile: string | undefined): string {
  const trusted =
    certificateToTrust === undefined
      ? ""
      : `NODE_EXTRA_CA_CERTS=${singleQuote(certificateToTrust)} `;
  return profile !== undefined
    ? `${trusted}pets list --profile ${profile}`
    : `${trusted}PETS_BASE_URL=${baseUrl} PETS_API_KEY=… pets list`;
}
