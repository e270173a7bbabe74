import path from "node:path";
import { pets } from "./pets.ts";
import type { LocalStore } from "../client/local-store.ts";
import { resolveSettings } from "../config/settings.ts";
import type {
  LimiterServer,
  ServiceConnection,
  ProfileData,
  ProfileReader,
  ProfileStore,
  RawGlobals,
} from "../config/types.ts";
import type { ConnectionTarget } from "../config/connection.ts";
import type { CommandSettings, Context, LimiterTarget, Runtime } from "../commands/context.ts";
import { claimOncePerDay } from "../platform/once-a-day.ts";
import type { Environment } from "../platform/io.ts";
import { programFolders } from "../platform/paths.ts";
import type { Limiter } from "../rate-limiter/types.ts";
import { coordinateTerminal } from "../output/status-line.ts";
import { chooseFormat, hasJsonErrors } from "../output/formats/index.ts";
import { makeNotes } from "../output/notes.ts";

/** What a context needs to know about the command that gets it. */
export interface ContextOptions {
  readonly globals: RawGlobals;
  /** Whether it gets default settings, so that wrong ones can't stop it. */
  readonly withoutSettings: boolean;
}

/** Returns the context of a command. Throws a usage Failure for a setting that is wrong. */
export function createContext(given: Runtime, request: ContextOptions): Context {
  const runtime = { ...given, ...coordinateTerminal(given) };
  const settings = settingsFor(request, runtime.env);
  const notes = makeNotes(runtime.stderr, settings.quiet);
  const noted = new Set<string>();
  let connection: Promise<ServiceConnection> | undefined;
  const savedSettings = readOnce(() => context.profiles());
  // One limiter per key and origin, so that requests share it even if its log can't be written.
  const limiters = new Map<string, Promise<Limiter>>();
  const context: Context = {
    ...runtime,
    settings,
    commandLine: pets,
    helpAsJson: () => describeProgram(runtime.program.version),
    folders: programFolders(runtime.env, runtime.program.platform),
    note: notes.note,
    warn: notes.warning,
    noteDeprecation: async (text, subject = "deprecation") => {
      if (silencesDeprecation(runtime.env) || settings.quiet || noted.has(subject)) return;
      noted.add(subject);
      const folder = path.join(context.folders.state, "notices");
      if (claimOncePerDay(folder, text, runtime.clock.now())) await notes.note(text);
    },
    profiles: () => openProfiles(context),
    connectionTarget: () => findTarget(context, savedSettings),
    runKeyCommand: async (command) => {
      const { runKeyCommand } = await import("../platform/key-command.ts");
      const { kill, signal, stdin, program } = context;
      const { platform } = program;
      return runKeyCommand(command, { platform, kill, signal, stdinIsTTY: stdin.isTTY });
    },
    connection: () => (connection ??= openConnection(context)),
    limiter: (target) => {
      const id = "apiKey" in target ? `${target.baseUrl.origin} ${target.apiKey}` : target.state;
      const limiter = limiters.get(id) ?? openLimiter(context, target);
      limiters.set(id, limiter);
      return limiter;
    },
    limiterServer: () => openLimiterServer(context, savedSettings),
    close: () => closeAll(limiters),
    localStore: () => openStore(context),
    api: async (target, overrides) => {
      const { createClient } = await import("./create-client.ts");
      return createClient(context, target ?? (await context.connection()), overrides);
    },
  };
  return context;
}

/** Returns the settings of a command; one that runs without them gets defaults, and JSON if it was asked for. */
function settingsFor(
  { globals, withoutSettings }: ContextOptions,
  environment: Environment,
): CommandSettings {
  const lenient = hasJsonErrors(globals) ? { json: true } : {};
  const [typed, env] = withoutSettings ? [lenient, {}] : [globals, environment];
  return { ...resolveSettings(typed, env), ...chooseFormat(typed, env) };
}

async function describeProgram(version: string): Promise<object> {
  const { helpAsJson } = await import("../help/json.ts");
  return helpAsJson(pets, version);
}

/** Returns a function that opens the profiles, read once: key, base URL and limiter come from the same read. */
function readOnce(open: () => Promise<ProfileStore>): () => Promise<ProfileReader> {
  let data: Promise<ProfileData> | undefined;
  return async () => ({ read: () => (data ??= open().then((store) => store.read())) });
}

async function findTarget(
  { settings }: Context,
  open: () => Promise<ProfileReader>,
): Promise<ConnectionTarget> {
  const { resolveTarget } = await import("../config/connection.ts");
  return resolveTarget(settings, open);
}

async function openLimiterServer(
  { settings, env }: Context,
  open: () => Promise<ProfileReader>,
): Promise<LimiterServer | undefined> {
  const { resolveLimiterServer } = await import("../config/limiter-server.ts");
  return resolveLimiterServer(settings, env, open);
}

async function closeAll(limiters: ReadonlyMap<string, Promise<Limiter>>): Promise<void> {
  for (const limiter of limiters.values()) {
    // If it could not be opened, its command has already failed.
    const opened = await limiter.catch(() => undefined);
    await opened?.close();
  }
}

function silencesDeprecation({ PETS_NO_DEPRECATION: value = "" }: Environment): boolean {
  return value !== "" && value !== "0";
}

async function openConnection(context: Context): Promise<ServiceConnection> {
  const { openTarget } = await import("./open-target.ts");
  return openTarget(context, await context.connectionTarget());
}

async function openStore(context: Context): Promise<LocalStore> {
  const { createLocalStore } = await import("./create-client.ts");
  return createLocalStore(context, await context.connection());
}

async function openLimiter(context: Context, target: LimiterTarget): Promise<Limiter> {
  const { createRateLimiter } = await import("./create-client.ts");
  return createRateLimiter(context, target);
}

async function openProfiles(context: Context): Promise<ProfileStore> {
  const { openProfileStore } = await import("../config/profiles/store.ts");
  const { clock, random, signal, program, folders, warn } = context;
  const { platform } = program;
  return openProfileStore({ folder: folders.config, clock, random, signal, platform, warn });
}
