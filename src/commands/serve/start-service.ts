import { existsSync } from "node:fs";
import path from "node:path";
import { orIoFailure } from "../../core/errors.ts";
import { escapeControls } from "../../core/sanitize.ts";
import { ensurePrivateFolder } from "../../platform/private-files.ts";
import { limiterPaths, removeLog } from "../../rate-limiter/log/files/segment-paths.ts";
import { makeStoreClock } from "../../server/clock.ts";
import { readTls } from "../../server/http/tls.ts";
import { keyRecord, makeKey } from "../../server/keys.ts";
import { pageLink } from "../../server/page/routes.ts";
import { readSeedFile } from "../../server/seed/file.ts";
import { samplePets } from "../../server/seed/generate.ts";
import { openStorage } from "../../server/storage/open.ts";
import { toStartFailure } from "../../server/storage/postgres/database.ts";
import { withFileName } from "../../server/storage/sqlite/file.ts";
import type { Storage } from "../../server/storage/storage.ts";
import { startStore, type StoreOptions } from "../../server/store.ts";
import type { Context } from "../context.ts";
import type { ServeSettings } from "./settings.ts";

/** A running store, and how it is reached. */
export type Service = Awaited<ReturnType<typeof startService>>;

/** How long requests in flight may take after a stop. */
const requestGraceMs = 10_000;

type StartOptions = Pick<StoreOptions, "stop" | "formatVerdict" | "profile" | "listener">;

/**
 * Starts the store; earlier ones may have given out `knownKeys`. Throws a Failure if that is not possible, and then
 * leaves no trace.
 */
export async function startService(
  context: Context,
  settings: ServeSettings,
  { knownKeys = [], ...options }: StartOptions & { readonly knownKeys?: readonly string[] } = {},
) {
  const { file, port, ban, faults, script, check, report } = settings;
  const seed =
    typeof settings.seed === "string"
      ? await readSeedFile(settings.seed, context.signal)
      : settings.seed !== undefined && samplePets(settings.seed);
  const tls = settings.tls && readTls(settings.tls);
  const clock = makeStoreClock(context.clock, settings.clock);
  let keys!: IssuedKeys;
  const store = await startStore({
    ...options,
    isJudged: check === true || report !== undefined,
    host: settings.host.replace(/^\[|\]$/g, ""),
    port,
    tls,
    clock,
    hasPage: settings.hasPage,
    corsOrigins: settings.cors,
    lab: faults && { ...faults, script, pets: seed || [] },
    ...consoleLogger(context),
    openData: async () => {
      if (file !== undefined && settings.data === undefined) {
        const folder = path.dirname(file);
        const hint = "Use another file with `--data`, or `--memory`, or set XDG_DATA_HOME.";
        const problem = `the data directory ${folder} cannot be used`;
        orIoFailure(problem, () => ensurePrivateFolder(folder), hint);
      }
      const isOld = file !== undefined && existsSync(file);
      const data = await openStorage(file, clock.now, ban);
      const { storage } = data;
      try {
        const saved = await firstStored(storage, knownKeys);
        if (isOld && saved === undefined && knownKeys.length > 0)
          await context.warn(
            `the saved keys are not valid for ${storage.place}: it is other data, or was copied without its -wal file`,
          );
        keys = await issueKeys(context, storage, settings, saved, clock.now());
        if (seed && !(await storage.addAll(seed)))
          await context.note("The store already has animals; --seed was ignored.");
        return data;
      } catch (error) {
        await storage.close();
        throw toStartFailure(withFileName(storage.place, error));
      }
    },
  });
  const { origin } = new URL(store.baseUrl);
  return {
    ...store,
    data: store.data.storage.place,
    /** The limits, if they belong to this process alone. */
    limits: store.data.local?.limits,
    keys,
    /** A link to the page for one visit, if there is a page. */
    page: store.sessions && pageLink(origin, store.sessions),
    /** The certificate file, if it is self-signed: clients must be configured to trust it. */
    certificateToTrust: tls?.isSelfSigned ? settings.tls?.cert : undefined,
    steps: () => store.lab?.script.steps() ?? [],
    /** Ends the requests in flight, and closes the data. */
    stop: async (): Promise<void> => {
      await store.stop(requestGraceMs);
      await store.data.storage.close();
      // No other store will have this address and these keys.
      if (file === undefined || port === 0)
        for (const { apiKey } of keys)
          limiterPaths(context.folders, origin, apiKey).forEach(removeLog);
    },
  };
}

/** A key that is shown at the start. */
export interface IssuedKey {
  readonly apiKey: string;
  readonly plan: string;
}

type IssuedKeys = readonly [IssuedKey, ...IssuedKey[]];

/**
 * Stores one key for each plan; earlier keys stay valid. The first, the operator's, is PETS_SERVE_KEY, else the `saved`
 * one, else a new one. Without `--plan` it keeps the plan that it has.
 */
async function issueKeys(
  context: Context,
  storage: Storage,
  { plans: [first, ...others], apiKey, command }: ServeSettings,
  saved: IssuedKey | undefined,
  now: number,
): Promise<IssuedKeys> {
  const known = apiKey === undefined ? saved : await firstStored(storage, [apiKey]);
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

/** Returns the first of these keys that is valid on the data. */
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

/** Logs to standard error, with the time: unexpected errors, and with --verbose each request. */
export function consoleLogger({ clock, settings, stderr }: Context) {
  const write = (text: string, at = clock.now()): void =>
    void stderr.write(`${new Date(at).toISOString()} ${escapeControls(text)}\n`);
  const onError = (error: unknown): void => {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    write(`the store failed: ${message}`);
    if (settings.verbose) for (const line of stack?.split("\n") ?? []) write(line);
  };
  const onRequest: StoreOptions["onRequest"] = (exchange, target) => {
    const { connection, method, sent, isPage, arrivedAt, endedAt, keyId = "-" } = exchange;
    const fault = exchange.fault?.name;
    const ms = endedAt - arrivedAt;
    const came = sent?.status ?? (fault === undefined ? "client gone" : "no response");
    const made = `${fault === undefined ? "" : `, fault ${fault}`}${isPage ? ", page" : ""}`;
    const address = connection.remoteAddress || "-";
    const line = `${address} ${keyId} ${method} ${target} ${came} ${Math.round(ms)} ms${made}`;
    write(line, clock.now() - ms);
  };
  return { onError, onRequest: settings.verbose ? onRequest : undefined };
}
