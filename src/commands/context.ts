import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { ProfileStore } from "../config/profiles/store.ts";
import type { Settings } from "../config/settings.ts";
import type { Column } from "../output/columns.ts";
import type { ProgramFolders } from "../platform/paths.ts";
import type { Runtime } from "./runtime.ts";
import type { CommandService } from "./service.ts";

/** What a command gets to work with; the heavy parts are made when they are first needed. */
export interface Context extends Runtime {
  readonly settings: Settings;
  /** Builds all commands, for help. */
  readonly buildProgram: () => CommandUnknownOpts;
  /** Returns a `pets` command for users to type, to the service of this one: with its `--profile` or the like. */
  readonly commandHere: (...words: readonly string[]) => string;
  readonly folders: ProgramFolders;
  readonly service: CommandService;
  /** Hides the keys of this user, and passwords in URLs: someone may have typed one anywhere. */
  readonly redact: (text: string) => string;
  /** Prints a line on standard error, redacted and escaped; nothing with `--quiet`. */
  readonly note: (text: string) => Promise<void>;
  /** Prints a warning likewise; each text only once. */
  readonly warn: (text: string) => Promise<void>;
  /** Prints a note once a run, or each text once a day (the default); nothing with PETS_NO_DEPRECATION. */
  readonly noteDeprecation: (text: string, every?: "day" | "run") => Promise<void>;
  readonly profiles: () => Promise<ProfileStore>;
  /** Returns the key that a command prints. Throws an auth Failure (exit 4). */
  readonly runKeyCommand: (command: string) => Promise<string>;
  /** Prints a list of records, or a single one, in the requested format. */
  print(records: object | readonly object[], columns: readonly Column[]): Promise<void>;
}
