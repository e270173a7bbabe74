import type { PetsApi } from "../client/pets-client.ts";
import type { ApiEvent, PetsApiOptions } from "../client/types.ts";
import { findSources, type ServiceConnection, targetOf } from "../config/connection.ts";
import { serverOf } from "../config/limiter-server.ts";
import type { ProfileStore } from "../config/profiles/store.ts";
import type { Settings } from "../config/settings.ts";
import { nameKey } from "../core/api-key.ts";
import { truncate } from "../core/strings.ts";
import type { ProgramFolders } from "../platform/paths.ts";
import { limiterFolders } from "../rate-limiter/log/files/segment-paths.ts";
import type { Limiter } from "../rate-limiter/types.ts";
import type { Runtime } from "./runtime.ts";

/** What a command may replace in the client of the service. */
export type ClientOverrides = Partial<
  Pick<PetsApiOptions, "signal" | "sendSignal" | "maxSends" | "maxWaitMs" | "despite503">
> & {
  /** By default that of this command. */
  readonly connection?: ServiceConnection;
  /** Called with each event first; returns true if the command reports it itself. */
  readonly onEvent?: (event: ApiEvent) => boolean | void;
};

/** What a command gets to work with, besides its service. */
export interface ServiceContext extends Runtime {
  readonly settings: Settings;
  /** Returns a `pets` command for users to type, to the service of this one: with its `--profile` or the like. */
  readonly commandHere: (...words: readonly string[]) => string;
  readonly folders: ProgramFolders;
  /** Prints a line on standard error, redacted and escaped; nothing with `--quiet`. */
  readonly note: (text: string) => Promise<void>;
  /** Prints a warning likewise; each text only once. */
  readonly warn: (text: string) => Promise<void>;
  /** Prints a note once a run, or each text once a day (the default); nothing with PETS_NO_DEPRECATION. */
  readonly noteDeprecation: (text: string, every?: "day" | "run") => Promise<void>;
  readonly profiles: () => Promise<ProfileStore>;
  /** Returns the key that a command prints. Throws an auth Failure (exit 4). */
  readonly runKeyCommand: (command: string) => Promise<string>;
}

const notShared =
  "other pets processes do not share the rate limits: set XDG_STATE_HOME to a directory that you can write";

/** The service that a command uses; each part is made when it is first needed. */
export class Service {
  readonly #context: ServiceContext;
  readonly #limiters = new Map<string, Promise<Limiter>>();
  #sources: ReturnType<typeof findSources> | undefined;
  #connection: Promise<ServiceConnection> | undefined;
  #report: ReturnType<typeof eventReporter> | undefined;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /** Returns what this command uses, and where it comes from, without running a key command. */
  sources() {
    const { settings, profiles } = this.#context;
    // Key, base URL and limiter come from the same read.
    return (this.#sources ??= findSources(settings, async () => (await profiles()).read()));
  }

  /** Returns the base URL and the key of the sources, likewise. */
  async target() {
    return targetOf(await this.sources());
  }

  /** Returns the settings with those of the profile. */
  async settings() {
    const { settings, problem } = await this.sources();
    if (settings === undefined) throw problem;
    return settings;
  }

  /** Returns the key and base URL of this command; runs a key command, once. */
  connection() {
    return (this.#connection ??= this.#connect());
  }

  async #connect(): Promise<ServiceConnection> {
    const { baseUrl, key } = await this.target();
    const apiKey = "value" in key ? key.value : await this.#context.runKeyCommand(key.command);
    const keyName = `${nameKey(apiKey)} from ${key.from}`;
    const limiterServer = serverOf(await this.settings(), this.#context.env);
    const printed = "command" in key && { keyCommand: key };
    return { baseUrl, apiKey, keyName, keyHint: key.hint, limiterServer, ...printed };
  }

  /** Makes this command and later ones try the server of the limiter, even if it could not be used a moment ago. */
  async recheckLimiter({ limiterServer: server }: ServiceConnection) {
    if (server === undefined) return;
    const { forgetProblem } = await import("../rate-limiter/log/redis/problem.ts");
    for (const folder of limiterFolders(this.#context.folders)) forgetProblem({ folder, server });
  }

  /** Returns the limiter of a key at an origin: one for all requests, even if its log can't be written. */
  limiter(connection: ServiceConnection): Promise<Limiter> {
    const id = `${connection.baseUrl.origin} ${connection.apiKey}`;
    const limiter = this.#limiters.get(id) ?? this.#openLimiter(connection);
    this.#limiters.set(id, limiter);
    return limiter;
  }

  /** Says once if the limiter cannot be shared. */
  async #openLimiter(connection: ServiceConnection): Promise<Limiter> {
    const { openLimiter } = await import("../rate-limiter/open-limiter.ts");
    const { baseUrl, apiKey, keyCommand, limiterServer: server } = connection;
    const { note, warn } = this.#context;
    const report = await this.#reporter();
    const address = server?.url.replace(/^.*\/\//, "");
    return openLimiter({
      ...this.#context,
      apiKey,
      keyCommand,
      origin: baseUrl.origin,
      server,
      onMoved: (what, folder) => {
        report({ type: "limiter_moved", what, folder });
        if (folder === undefined) void warn(`${notShared} (${what})`);
      },
      onUnusable: (reason) =>
        void note(
          `The limiter at ${address} cannot be used (${reason}): only this machine shares the limits for now.`,
        ),
    });
  }

  /** Returns a client that prints waits, deprecations and, with `--verbose`, every request. */
  async api({ onEvent, ...given }: ClientOverrides = {}): Promise<PetsApi> {
    const { connection = await this.connection(), ...replaced } = given;
    const { PetsClient } = await import("../client/pets-client.ts");
    const { settings, random, commandHere } = this.#context;
    const report = await this.#reporter();
    return new PetsClient({
      ...this.#clientOptions(),
      ...connection,
      listCommand: commandHere("list"),
      limiter: await this.limiter(connection),
      random,
      ...replaced,
      maxWaitMs: Math.min(settings.maxWaitMs, replaced.maxWaitMs ?? Infinity),
      onEvent: (event) => {
        if (onEvent?.(event) !== true) report(event);
      },
    });
  }

  /** Returns a client of what a local store offers beside the API. */
  async localStore() {
    const { LocalStore } = await import("../client/local-store.ts");
    const onEvent = await this.#reporter();
    return new LocalStore({ ...this.#clientOptions(), ...(await this.connection()), onEvent });
  }

  #reporter() {
    return (this.#report ??= eventReporter(this.#context));
  }

  #clientOptions() {
    const { settings, clock, env, program, secrets, signal } = this.#context;
    const { timeoutMs } = settings;
    return { timeoutMs, userAgent: `pets/${program.version}`, env, clock, secrets, signal };
  }

  /** Waits until everything that this command shares with other processes is written. */
  async close() {
    for (const limiter of this.#limiters.values()) {
      // If it could not be opened, its command has already failed.
      const opened = await limiter.catch(() => undefined);
      await opened?.close();
    }
  }
}

/** Returns the function that reports events to the user. */
async function eventReporter(context: ServiceContext) {
  const { settings, stderr, clock, noteDeprecation } = context;
  const { createWaitNotice } = await import("../output/wait-notice.ts");
  const notice = createWaitNotice(context);
  // Loaded before the first event, so that lines are printed in the order of the events.
  const verbose = settings.verbose ? await import("../output/verbose.ts") : undefined;
  return (event: ApiEvent): void => {
    if (event.type === "waiting" || event.type === "waited") notice(event);
    else if (event.type === "deprecation")
      void noteDeprecation(deprecationText(event.notice), "run");
    else if (verbose) void stderr.write(verbose.verboseLine(event, clock.now()));
  };
}

const maxHeaderLength = 100;

/** Returns a sentence about a deprecated request, in the words of its headers. */
function deprecationText(notice: Readonly<Record<string, string>>): string {
  const said = Object.entries(notice).map(
    ([name, value]) => `${name}: ${truncate(value, maxHeaderLength)}`,
  );
  return `The service says that this request is deprecated (${said.join("; ")}).`;
}
