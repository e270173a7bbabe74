import type { PetsApi, PetsApiOptions } from "../client/types.ts";
import type { ServiceConnection, ProfileStore, Settings } from "../config/types.ts";
import type { CompletableProgram } from "../completion/model.ts";
import type { DocumentedProgram } from "../help/sections.ts";
import type { ProgramFolders } from "../platform/paths.ts";
import type { RateLimiter } from "../rate-limiter/limiter.ts";
import type { Clock, Environment, Input, Machine, Output, Signals } from "../platform/io.ts";

/** The running program itself. */
export interface Program {
  readonly version: string;
  /** Its help on 80 columns, where the build made it beforehand. */
  readonly help?: string;
  /** Absolute path of the Node that runs it, or of the standalone executable. */
  readonly node: string;
  /** Absolute path of `bin/pets.js`; undefined where `node` is the program itself. */
  readonly script: string | undefined;
  readonly platform: NodeJS.Platform;
}

/** What the outside world gives to a command; made in `main.ts`, and by tests. */
export interface Runtime extends Signals {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  readonly machine: Machine;
  /** A random number from 0 up to 1. */
  readonly random: () => number;
  readonly program: Program;
}

/** What a command may want otherwise of the service's client; `onEvent` is told beside the user. */
export type ClientOverrides = Partial<
  Pick<PetsApiOptions, "signal" | "sendSignal" | "wait" | "onEvent">
>;

/** What a command may ask for; the heavy parts are made when they are first asked for. */
export interface Context extends Runtime {
  readonly settings: Settings;
  /** All commands and their options, for what is printed of them. */
  readonly commandLine: DocumentedProgram & CompletableProgram;
  readonly folders: ProgramFolders;
  /** A line on standard error, escaped; nothing with `--quiet`. */
  readonly note: (text: string) => Promise<void>;
  /** The same, for what the user had better look at; each text only once. */
  readonly warn: (text: string) => Promise<void>;
  /** A note on what is deprecated: the first on each subject only, and none with PETS_NO_DEPRECATION. */
  readonly noteDeprecation: (text: string, subject?: "deprecation" | "removal") => Promise<void>;
  readonly profiles: () => Promise<ProfileStore>;
  /** Key and base URL for this command. */
  readonly connection: () => Promise<ServiceConnection>;
  /** The gate of the requests with a connection: what is known of its limits. */
  gate(connection: ServiceConnection): Promise<RateLimiter>;
  /** The service, for a given connection or the one of this command. */
  api(connection?: ServiceConnection, how?: ClientOverrides): Promise<PetsApi>;
}
