import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { LocalStore } from "../client/local-store.ts";
import type { PetsApi, PetsApiOptions } from "../client/types.ts";
import type { ConnectionTarget, ServiceConnection } from "../config/connection.ts";
import type { LimiterServer } from "../config/limiter-server.ts";
import type { ProfileStore } from "../config/profiles/store.ts";
import type { Settings } from "../config/settings.ts";
import type { Column } from "../output/columns.ts";
import type { Clock, Environment, Input, Machine, Output, Signals } from "../platform/io.ts";
import type { ProgramFolders } from "../platform/paths.ts";
import type { Kill } from "../platform/process-group.ts";
import type { Limiter } from "../rate-limiter/types.ts";

export interface Program {
  readonly version: string;
  /** Its help in 80 columns, if the build made it. */
  readonly help?: string;
  /** Absolute path of the Node that runs it, or of the standalone executable. */
  readonly node: string;
  /** Absolute path of `bin/pets.js`; undefined if `node` is the program itself. */
  readonly script: string | undefined;
  readonly platform: NodeJS.Platform;
  readonly nodeVersion: string;
}

/** Everything that a command gets from its process; made in `main.ts`, and by tests. */
export interface Runtime extends Signals {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly kill: Kill;
  readonly random: () => number;
  readonly program: Program;
}

/** What a command may replace in the client of the service; `onEvent` is called as well. */
export type ClientOverrides = Partial<
  Pick<
    PetsApiOptions,
    "signal" | "sendSignal" | "wait" | "onEvent" | "maxSends" | "maxWaitMs" | "keyHint"
  >
> & {
  /** Whether the command itself notes the deprecation, so that headers say nothing new. */
  readonly notesDeprecation?: true;
};

export type LimiterTarget = Pick<ServiceConnection, "baseUrl" | "apiKey" | "limiterServer">;

/** What a command gets to work with; the heavy parts are made when they are first needed. */
export interface Context extends Runtime {
  readonly settings: Settings;
  /** Builds all commands, for help. */
  readonly commandLine: () => CommandUnknownOpts;
  /** Returns a `pets` command for users to type, to the service of this one: with its `--profile` or the like. */
  readonly commandHere: (...words: readonly string[]) => string;
  readonly folders: ProgramFolders;
  /** Prints a line on standard error, escaped; nothing with `--quiet`. */
  readonly note: (text: string) => Promise<void>;
  /** Prints a warning likewise; each text only once. */
  readonly warn: (text: string) => Promise<void>;
  /** Prints a note once a run, or each text once a day (the default); nothing with PETS_NO_DEPRECATION. */
  readonly noteDeprecation: (text: string, every?: "day" | "run") => Promise<void>;
  readonly profiles: () => Promise<ProfileStore>;
  /** Returns the base URL of this command, and where its key comes from, without running a key command. */
  readonly connectionTarget: () => Promise<ConnectionTarget>;
  /** Returns the settings with those of the profile, which is not read if key and base URL come from outside. */
  readonly settingsWithProfile: () => Promise<Settings>;
  /** Returns the key and base URL of this command; runs a key command, once. */
  readonly connection: () => Promise<ServiceConnection>;
  /** Returns the key that a command prints. Throws an auth Failure (exit 4). */
  readonly runKeyCommand: (command: string) => Promise<string>;
  limiter(target: LimiterTarget): Promise<Limiter>;
  /** Returns the server through which machines share their limiters, if there is one. */
  readonly limiterServer: () => Promise<LimiterServer | undefined>;
  /** Waits until everything that this command shares with other processes is written. */
  readonly close: () => Promise<void>;
  /** Prints a list of records, or a single one, in the requested format. */
  print(records: object | readonly object[], columns: readonly Column[]): Promise<void>;
  readonly localStore: () => Promise<LocalStore>;
  /** Returns a client of the service, by default over the connection of this command. */
  api(connection?: ServiceConnection, overrides?: ClientOverrides): Promise<PetsApi>;
}
