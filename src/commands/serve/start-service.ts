import { existsSync } from "node:fs";
import path from "node:path";
import { orIoFailure } from "../../core/errors.ts";
import type { NewPet } from "../../core/pet.ts";
import { ensurePrivateFolder } from "../../platform/private-files.ts";
import { limiterId, limiterPaths, removeLog } from "../../rate-limiter/log/files/segment-paths.ts";
import { attachService } from "../../server/attach.ts";
import { makeStoreClock, type StoreClock } from "../../server/clock.ts";
import type { ExchangeListener } from "../../server/http/exchange.ts";
import { listen, type Listening } from "../../server/http/server.ts";
import { readTls } from "../../server/http/tls.ts";
import type { Judge } from "../../server/judge/judge.ts";
import { judgeListener } from "../../server/judge/listener.ts";
import { keyRecord, makeKey } from "../../server/keys.ts";
import { pageLink } from "../../server/page/routes.ts";
import type { StoreControl } from "../../server/routes/store-area.ts";
import { readSeedFile } from "../../server/seed/file.ts";
import { samplePets } from "../../server/seed/generate.ts";
import { openStorage } from "../../server/storage/open.ts";
import { toStartFailure } from "../../server/storage/postgres/errors.ts";
import { withFileName } from "../../server/storage/sqlite/file.ts";
import type { Storage, StoreData } from "../../server/storage/storage.ts";
import type { Context } from "../context.ts";
import { consoleLogger } from "./log.ts";
import type { ServeSettings } from "./settings/settings.ts";

/** A running store. */
export type Service = Awaited<ReturnType<typeof startService>>;

/** How long requests in flight may take after a stop, in ms. */
const requestGraceMs = 10_000;

/** What a store takes from the command that starts it. */
export interface StartOptions {
  /** Keys that earlier stores may have given out. */
  readonly knownKeys?: readonly string[];
  /** Takes every request. */
  readonly judge?: Judge | undefined;
  /** Is told of every request. */
  readonly listener?: ExchangeListener;
  readonly control?: StoreControl;
  /** Returns the name of the profile in which the store is saved, for the page. */
  readonly profile?: () => string | undefined;
}

/**
 * Starts the store. It listens on the port before it changes anything, so that a port in use leaves no
 * trace. Throws a Failure if the store can't be started.
 */
export async function startService(
  context: Context,
  settings: ServeSettings,
  options: StartOptions = {},
) {
  const seed = await readSeed(context, settings.seed);
  const tls = settings.tls && readTls(settings.tls);
  const clock = makeStoreClock(context.clock, settings.clock);
  const { port, file, ban } = settings;
  const host = settings.host.replace(/^\[|\]$/g, "");
  const listening = await listen({ host, port, now: clock.now, tls });
  try {
    if (file !== undefined && settings.data === undefined) ensureDataFolder(path.dirname(file));
    const isOld = file !== undefined && existsSync(file);
    const data = await openStorage(file, clock.now, ban);
    try {
      const keys = await issueKeys(
        context,
        data.storage,
        settings,
        options.knownKeys ?? [],
        clock.now(),
      );
      if (isOld) await warnOfUnknownKeys(context, data.storage, options.knownKeys ?? []);
      if (seed && !(await data.storage.isEmpty()))
        await context.note("The store already has animals; --seed was ignored.");
      else if (seed) await data.storage.addAll(seed);
      const served = attach(context, settings, { listening, data, clock, keys, seed }, options);
      /** The certificate file, if it is self-signed: clients must be configured to trust it. */
      const certificateToTrust = tls?.isSelfSigned ? settings.tls?.cert : undefined;
      return { ...served, keys, port: listening.address.port, certificateToTrust };
    } catch (error) {
      await data.close();
      throw toStartFailure(withFileName(data.storage.place, error));
    }
  } catch (error) {
    await listening.stop(0);
    throw error;
  }
}

/** What a store is made of once its port and its data are open. */
interface OpenParts {
  readonly listening: Listening;
  readonly data: StoreData;
  readonly clock: StoreClock;
  readonly keys: IssuedKeys;
  readonly seed: readonly NewPet[] | undefined;
}

/** Serves the data on the port. */
function attach(
  context: Context,
  settings: ServeSettings,
  { listening, data, clock, keys, seed = [] }: OpenParts,
  { judge, listener, control, profile }: StartOptions,
) {
  const { file, port, hasPage, faults, script, cors: corsOrigins } = settings;
  const issuedKeys = keys.map(({ apiKey }) => apiKey);
  const lab = faults && { faults, script, seed };
  const logger = consoleLogger(context);
  const own = [judge && judgeListener(judge), listener].filter((one) => one !== undefined);
  const served = attachService(
    listening,
    { data, clock, lab, issuedKeys, hasPage, control, corsOrigins, profile },
    { ...logger, listeners: own, onReset: () => judge?.reset() },
  );
  const baseUrl = baseUrlOf(listening, settings);
  const { origin } = new URL(baseUrl);
  return {
    baseUrl,
    /** The data file's path, or `memory`. */
    data: data.storage.place,
    /** The limits, if they belong to this process alone. */
    limits: data.local?.limits,
    /** A link to the page for one visit, if there is a page. */
    page: served.sessions && pageLink(origin, served.sessions),
    /** Returns the steps of the script, and how often each was taken. */
    steps: () => served.lab?.script.steps() ?? [],
    /** Ends the requests in flight, 10 s at most, and closes the data. */
    stop: async (): Promise<void> => {
      served.monitor.dispose();
      await listening.stop(requestGraceMs);
      await data.close();
      // No other store will have this address and these keys.
      if (file === undefined || port === 0)
        for (const key of issuedKeys)
          removeLog(limiterPaths(context.folders.state, limiterId(origin, key)));
    },
  };
}

/** Returns the animals that `--seed` asks for: so many, or those in a file. */
async function readSeed(
  { signal }: Context,
  seed: number | string | undefined,
): Promise<readonly NewPet[] | undefined> {
  if (seed === undefined) return undefined;
  return typeof seed === "number" ? samplePets(seed) : readSeedFile(seed, signal);
}

function ensureDataFolder(folder: string): void {
  const problem = `the data directory ${folder} cannot be used`;
  const hint = "use another file with --data, or --memory, or set XDG_DATA_HOME";
  orIoFailure(problem, () => ensurePrivateFolder(folder), hint);
}

function baseUrlOf({ address }: Listening, { host, tls }: ServeSettings): string {
  // A wildcard address is reached at the loopback address.
  const wildcards: Record<string, string> = { "0.0.0.0": "127.0.0.1", "[::]": "[::1]" };
  return `${tls === undefined ? "http" : "https"}://${wildcards[host] ?? host}:${address.port}/v1`;
}

/** A key that is shown at the start. */
export interface IssuedKey {
  readonly apiKey: string;
  readonly plan: string;
}

type IssuedKeys = readonly [IssuedKey, ...IssuedKey[]];

/**
 * Stores one key for each plan and returns them; earlier keys stay valid. The first, the operator's, is
 * PETS_SERVE_KEY, else the first of `knownKeys` that is valid on this data, else a new one. Without `--plan`
 * it keeps the plan that it has.
 */
async function issueKeys(
  context: Context,
  storage: Storage,
  { plans: [first, ...others], apiKey, command }: ServeSettings,
  knownKeys: readonly string[],
  now: number,
): Promise<IssuedKeys> {
  const known = await firstStored(storage, apiKey === undefined ? knownKeys : [apiKey]);
  const plan = first?.name ?? known?.plan ?? (command === undefined ? "free" : "enterprise");
  const keys: IssuedKeys = [
    { apiKey: apiKey ?? known?.apiKey ?? makeKey(), plan },
    ...others.map(({ name }) => ({ apiKey: makeKey(), plan: name })),
  ];
  // One ms apart, so that their order is known.
  for (const [index, key] of keys.entries())
    await storage.putKey(keyRecord(key.apiKey, key.plan, index === 0), now + index);
  if (known !== undefined && known.plan !== plan)
    await context.note(`The plan of the key is now ${plan}; it was ${known.plan}.`);
  return keys;
}

/** Warns if a data file knows none of the keys: then `--data` may name a copy that lacks what was in its WAL. */
async function warnOfUnknownKeys(
  { warn }: Context,
  storage: Storage,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0 || (await firstStored(storage, keys)) !== undefined) return;
  await warn(
    `the saved keys are not valid for ${storage.place}: it is other data, or was copied without its -wal file`,
  );
}

async function firstStored(
  storage: Storage,
  keys: readonly string[],
): Promise<IssuedKey | undefined> {
  for (const apiKey of keys) {
    const record = await storage.findKey(keyRecord(apiKey, "").id);
    if (record !== undefined) return { apiKey, plan: record.plan };
  }
  return undefined;
}
