import { pets } from "./pets.ts";
import { resolveSettings } from "../config/settings.ts";
import type { ServiceConnection, ProfileStore, RawGlobals } from "../config/types.ts";
import type { Context, Runtime } from "../commands/context.ts";
import { programFolders } from "../platform/paths.ts";
import type { RateLimiter } from "../rate-limiter/limiter.ts";
import { coordinateTerminal } from "../output/status-line.ts";
import { makeNotes } from "../output/notes.ts";

/** What is told of a command before it gets its context. */
export interface ContextOptions {
  readonly globals: RawGlobals;
  /** Whether it gets the defaults in place of the settings, so that wrong ones don't stop it. */
  readonly withoutSettings: boolean;
}

/** What a command may ask for, made from the world and the global options. Throws a usage Failure. */
export function createContext(given: Runtime, request: ContextOptions): Context {
  const world = { ...given, ...coordinateTerminal(given) };
  const { globals, withoutSettings } = request;
  const settings = withoutSettings ? resolveSettings({}, {}) : resolveSettings(globals, world.env);
  const notes = makeNotes(world.stderr, settings.quiet);
  // One for each key at an origin: what a request taught is known here also where it can't be shared.
  const gates = new Map<string, Promise<RateLimiter>>();
  const context: Context = {
    ...world,
    settings,
    commandLine: pets,
    folders: programFolders(world.env, world.program.platform),
    note: notes.note,
    warn: notes.warning,
    noteDeprecation: async (text, subject = "deprecation") => {
      if (!world.env.PETS_NO_DEPRECATION) await notes.once(subject, text);
    },
    profiles: () => openProfiles(context),
    connection: async () => {
      const { resolveConnection } = await import("../config/connection.ts");
      return resolveConnection(settings, context.profiles);
    },
    gate: (connection) => {
      const id = `${connection.baseUrl.origin} ${connection.apiKey}`;
      const gate = gates.get(id) ?? openGate(context, connection);
      gates.set(id, gate);
      return gate;
    },
    api: async (connection, how) => {
      const { createClient } = await import("./create-client.ts");
      return createClient(context, connection ?? (await context.connection()), how);
    },
  };
  return context;
}

async function openGate(context: Context, connection: ServiceConnection): Promise<RateLimiter> {
  const open = await import("./create-client.ts");
  return open.createRateLimiter(context, connection);
}

async function openProfiles(context: Context): Promise<ProfileStore> {
  const { openProfileStore } = await import("../config/profiles/store.ts");
  const { clock, random, signal, program, folders, warn } = context;
  const { platform } = program;
  return openProfileStore({ folder: folders.config, clock, random, signal, platform, warn });
}
