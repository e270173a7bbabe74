import { existsSync } from "node:fs";
import path from "node:path";
import { orIoFailure } from "../../core/errors.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import { escapeControls } from "../../core/sanitize.ts";
import { ensurePrivateFolder } from "../../platform/private-files.ts";
import { limiterFolders, logName, removeLog } from "../../rate-limiter/log/files/segment-paths.ts";
import { makeStoreClock } from "../../server/clock.ts";
import { listen } from "../../server/http/server.ts";
import { readTls } from "../../server/http/tls.ts";
import { pageLink } from "../../server/page/routes.ts";
import { readSeedFile } from "../../server/seed/file.ts";
import { samplePets } from "../../server/seed/generate.ts";
import { openStorage } from "../../server/storage/open.ts";
import { type StoreData, toStartFailure } from "../../server/storage/storage.ts";
import { serveStore, type StoreOptions } from "../../server/store.ts";
import type { Context } from "../context.ts";
import { type IssuedKey, issueKeys } from "./issue-keys.ts";
import type { ServeProfile } from "./serve-profile.ts";
import type { ServeSettings } from "./settings.ts";

/** A running store, and how it is reached. */
export type Service = Awaited<ReturnType<typeof startService>>;

/** The ports that browsers and `fetch` do not connect to (Fetch standard, 2.9). */
const refusedPorts = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10_080,
]);

/** How long requests in flight may take after a stop. */
const requestGraceMs = 10_000;

interface StartOptions extends Pick<StoreOptions, "stop" | "listener"> {
  /** Chooses the profile of a store at a port; without this it has none. */
  readonly openProfile?: (port: number) => Promise<ServeProfile>;
}

/** Starts the store, in steps that a failure undoes as the stop does. Throws a Failure, and then leaves no trace. */
export async function startService(
  context: Context,
  settings: ServeSettings,
  { openProfile, ...options }: StartOptions = {},
) {
  const { file, faults, script, check, report } = settings;
  const seed = await readSeed(context, settings);
  const tls = settings.tls && readTls(settings.tls);
  const rejected = tls?.rejectedAt(context.clock.now());
  if (rejected !== undefined) await context.warn(rejected);
  const clock = makeStoreClock(context.clock, settings.clock);
  const host = settings.host.replace(/^\[|\]$/g, "");
  const listening = await listen({ host, port: settings.port, tls, now: clock.moment });
  const { port, baseUrl } = listening;
  let data: StoreData | undefined;
  let profile: ServeProfile | undefined;
  const stop = async (graceMs: number): Promise<void> => {
    await profile?.remove();
    // Requests in flight need the data.
    await listening.stop(graceMs);
    await data?.storage.close();
  };
  try {
    if (refusedPorts.has(port))
      await context.note(
        `Browsers and \`fetch\` refuse to connect to port ${port}; other clients do not.`,
      );
    profile = await openProfile?.(port);
    const isOld = file !== undefined && existsSync(file);
    if (file !== undefined && settings.data === undefined) ensureDataFolder(path.dirname(file));
    data = await openStorage(file, clock.now, settings.ban, settings.connections);
    // Before the keys: a start that fails leaves none that nobody knows.
    if (seed && !(await data.storage.addAll(seed)))
      await context.note("The store already has animals; --seed was ignored.");
    const keys = await issueKeys(context, data.storage, settings, { isOld, ...profile });
    let saved: string | undefined;
    const store = serveStore(listening, data, {
      ...options,
      isJudged: check === true || report !== undefined,
      clock,
      hasPage: settings.hasPage,
      corsOrigins: settings.cors,
      lab: faults && { ...faults, script, pets: seed ?? [] },
      profile: () => saved,
      ...consoleLogger(context),
    });
    saved = await profile?.save({ baseUrl, apiKey: keys[0].apiKey });
    return {
      port,
      baseUrl,
      data: data.storage.place,
      lost: data.lost,
      /** The limits, if they belong to this process alone. */
      limits: data.local?.limits,
      clock,
      keys,
      /** The name of the profile in which it is saved, if it is. */
      profile: saved,
      /** A link to the page for one visit, if there is a page. */
      page: store.sessions && pageLink(pageOrigin(baseUrl, settings.host), store.sessions),
      /** The certificate file, if it is self-signed: clients must be configured to trust it. */
      certificateToTrust: tls?.isSelfSigned ? settings.tls?.cert : undefined,
      /** The steps of the script, each with how often it was taken. */
      steps: () => store.lab?.script.steps() ?? [],
      /** Judges the clients since the last reset, or since the start. */
      verdict: store.verdict,
      /** Ends the requests in flight, and closes the data. */
      stop: async (): Promise<void> => {
        await stop(requestGraceMs);
        // No other store will have this address and these keys.
        if (file === undefined || settings.port === 0)
          removeLogs(context, new URL(baseUrl).origin, keys);
      },
    };
  } catch (error) {
    await stop(0);
    throw toStartFailure(error);
  }
}

/** Returns the origin of the page, which is only for names of this machine; a certificate may have another name. */
function pageOrigin(baseUrl: string, host: string): string {
  const { origin, protocol, hostname, port } = new URL(baseUrl);
  return isLoopbackHost(hostname) ? origin : `${protocol}//${host}:${port}`;
}

async function readSeed({ note, signal }: Context, { seed }: ServeSettings) {
  if (typeof seed === "number") return samplePets(seed);
  if (seed === undefined) return undefined;
  const { pets, hasIds } = await readSeedFile(seed, signal);
  if (hasIds) await note(`The ids in ${seed} were ignored: the store numbers its animals from 1.`);
  return pets;
}

function ensureDataFolder(folder: string): void {
  const hint = "Use another file with `--data`, or `--memory`, or set XDG_DATA_HOME.";
  const problem = `the data directory ${folder} cannot be used`;
  orIoFailure(problem, () => ensurePrivateFolder(folder), hint);
}

/** Removes what rate limiters recorded of the store at `origin`. */
function removeLogs({ folders }: Context, origin: string, keys: readonly IssuedKey[]): void {
  for (const { apiKey } of keys)
    for (const folder of limiterFolders(folders))
      removeLog({ folder, name: logName(origin, apiKey) });
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
  const onRequest: StoreOptions["onRequest"] = (ended, target) => {
    const { request, decision, sent, isPage, endedAt, keyId = "-" } = ended;
    const { connection, method, at } = request;
    const fault = decision.fault?.name;
    const ms = endedAt - at.real;
    const came = sent?.status ?? (fault === undefined ? "client gone" : "no response");
    const made = `${fault === undefined ? "" : `, fault ${fault}`}${isPage ? ", page" : ""}`;
    const address = connection.remoteAddress || "-";
    const line = `${address} ${keyId} ${method} ${target} ${came} ${Math.round(ms)} ms${made}`;
    write(line, clock.now() - ms);
  };
  const onMalformed: StoreOptions["onMalformed"] = (status, address) =>
    write(`${address || "-"} - malformed request ${status}`);
  return { onError, ...(settings.verbose && { onRequest, onMalformed }) };
}
