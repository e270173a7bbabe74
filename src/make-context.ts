import { resolveSettings } from "./config/settings.ts";
import type { Connection, ProfileStore, RawGlobals } from "./config/types.ts";
import type { Context, World } from "./context.ts";
import { programFolders } from "./files/paths.ts";
import type { Gate } from "./gate/gate.ts";
import { shareTerminal } from "./output/live.ts";
import { makeNotes } from "./output/notes.ts";

/** What is told of a command before it gets its context. */
export interface ContextRequest {
  readonly globals: RawGlobals;
  /** Whether it gets the defaults in place of the settings, so that wrong ones don't stop it. */
  readonly withoutSettings: boolean;
}

/** What a command may ask for, made from the world and the global options. Throws a usage Failure. */
export function makeContext(given: World, request: ContextRequest): Context {
  const world = { ...given, ...shareTerminal(given) };
  const { globals, withoutSettings } = request;
  const settings = withoutSettings ? resolveSettings({}, {}) : resolveSettings(globals, world.env);
  const notes = makeNotes(world.stderr, settings.quiet);
  // One for each key at an origin: what a request taught is known here also where it can't be shared.
  const gates = new Map<string, Promise<Gate>>();
  const context: Context = {
    ...world,
    settings,
    folders: programFolders(world.env, world.program.platform),
    note: notes.note,
    warn: notes.warning,
    noteDeprecation: async (text, subject = "deprecation") => {
      if (!world.env.PETS_NO_DEPRECATION) await notes.once(subject, text);
    },
    profiles: () => openProfiles(context),
    connection: async () => {
      const { resolveConnection } = await import("./config/connection.ts");
      return resolveConnection(settings, context.profiles);
    },
    gate: (connection) => {
      const id = `${connection.baseUrl.origin} ${connection.apiKey}`;
      const gate = gates.get(id) ?? openGate(context, connection);
      gates.set(id, gate);
      return gate;
    },
    api: async (connection, how) => {
      const { openApi } = await import("./open-api.ts");
      return openApi(context, connection ?? (await context.connection()), how);
    },
  };
  return context;
}

async function openGate(context: Context, connection: Connection): Promise<Gate> {
  const open = await import("./open-api.ts");
  return open.openGate(context, connection);
}

async function openProfiles(context: Context): Promise<ProfileStore> {
  const { openProfileStore } = await import("./config/profiles.ts");
  const { clock, random, signal, program, folders, warn } = context;
  const { platform } = program;
  return openProfileStore({ folder: folders.config, clock, random, signal, platform, warn });
}
