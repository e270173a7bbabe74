import { localKey, localProfile, saveLocalProfile } from "../../config/profiles/profiles.ts";
import type { Context } from "../context.ts";
import { Failure } from "../../core/errors.ts";
import type { TerminationSignal } from "../../platform/io.ts";
import { readyJson, readyText } from "./banner.ts";
import { type Service, startService } from "./start-service.ts";
import type { ServeSettings } from "./settings.ts";
import { singleQuote } from "../../output/text/shell-quote.ts";

const signalExitCodes: Record<TerminationSignal, number> = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
};

/**
 * Serves until a signal, then returns 0; a second signal exits at once with its own exit code.
 * Throws a Failure when the store can't be started, and what the write throws when nobody reads the
 * output (`pets serve | true`).
 */
export async function serveForeground(context: Context, settings: ServeSettings): Promise<number> {
  const key = settings.file === undefined ? undefined : await profileKey(context);
  const service = await startService(context, settings, key);
  const { first, second, release } = twoSignals(context);
  let code = 0;
  try {
    context.signal.throwIfAborted();
    await announce(context, settings, service);
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
  service: Service,
): Promise<void> {
  const isSaved = await saveProfile(context, service);
  const { format } = context.settings;
  const command = tryCommand(service, isSaved);
  const isData = format === "json" || format === "ndjson";
  const text = isData
    ? readyJson(service, context)
    : readyText(service, { command, secret: settings.apiKey });
  await context.stdout.write(text);
}

function tryCommand({ baseUrl, certificateToTrust }: Service, isSaved: boolean): string {
  const trusted =
    certificateToTrust === undefined
      ? ""
      : `NODE_EXTRA_CA_CERTS=${singleQuote(certificateToTrust)} `;
  return isSaved
    ? `${trusted}pets list --profile ${localProfile}`
    : `${trusted}PETS_BASE_URL=${baseUrl} PETS_API_KEY=… pets list`;
}

/** Returns the key of the profile `local`, or undefined if the profiles can't be read. */
async function profileKey(context: Context): Promise<string | undefined> {
  try {
    return await localKey(await context.profiles());
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}

/** Saves the profile `local`, or warns that it can't be saved: the store is useful without it. */
async function saveProfile(context: Context, { baseUrl, keys }: Service): Promise<boolean> {
  try {
    await saveLocalProfile(await context.profiles(), baseUrl, keys[0].apiKey);
    return true;
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== "io") throw error;
    await context.warn(`the profile ${localProfile} was not saved: ${error.message}`);
    return false;
  }
}
