import type { PetsApi } from "./api/types.ts";
import { resolveSettings } from "./config/settings.ts";
import type { Connection, ProfileStore, RawGlobals } from "./config/types.ts";
import type { Context, World } from "./context.ts";
import { programFolders } from "./files/paths.ts";
import { makeNotes } from "./output/notes.ts";

/** What a command may ask for, made from the world and the global options. Throws a usage Failure. */
export function makeContext(world: World, globals: RawGlobals): Context {
  const settings = resolveSettings(globals, world.env);
  const notes = makeNotes(world.stderr, settings.quiet);
  const folders = programFolders(world.env, world.program.platform);
  const context: Context = {
    ...world,
    settings,
    folders,
    note: notes.note,
    noteDeprecation: async (text) => {
      if (!world.env.PETS_NO_DEPRECATION) await notes.once("deprecation", text);
    },
    profiles: () => openProfiles(context),
    connection: async () => {
      const { resolveConnection } = await import("./config/connection.ts");
      return resolveConnection(settings, context.profiles);
    },
    api: async (connection) => openApi(context, connection ?? (await context.connection())),
  };
  return context;
}
