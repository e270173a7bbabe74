import { resolveSettings } from "./config/settings.ts";
import type { ProfileStore, RawGlobals } from "./config/types.ts";
import type { Context, World } from "./context.ts";
import { programFolders } from "./files/paths.ts";
import { makeNotes } from "./output/notes.ts";

/** What is told of a command before it gets its context. */
export interface ContextRequest {
  readonly globals: RawGlobals;
  /** Whether it gets the defaults in place of the settings, so that wrong ones don't stop it. */
  readonly withoutSettings: boolean;
}

/** What a command may ask for, made from the world and the global options. Throws a usage Failure. */
export function makeContext(world: World, request: ContextRequest): Context {
  const { globals, withoutSettings } = request;
  const settings = withoutSettings ? resolveSettings({}, {}) : resolveSettings(globals, world.env);
  const notes = makeNotes(world.stderr, settings.quiet);
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
    gate: async (connection) => {
      const { openGate } = await import("./open-api.ts");
      return openGate(context, connection);
    },
    api: async (connection) => {
      const { openApi } = await import("./open-api.ts");
      return openApi(context, connection ?? (await context.connection()));
    },
  };
  return context;
}

async function openProfiles(context: Context): Promise<ProfileStore> {
  const { openProfileStore } = await import("./config/profiles.ts");
  const { clock, random, signal, program, folders, warn } = context;
  const { platform } = program;
  return openProfileStore({ folder: folders.config, clock, random, signal, platform, warn });
}
