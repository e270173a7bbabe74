import type { LocalStore } from "../client/local-store.ts";
import type { PetsApi } from "../client/pets-client.ts";
import type { PetsApiOptions } from "../client/types.ts";
import type { ServiceConnection, ServiceSources, ServiceTarget } from "../config/connection.ts";
import type { LimiterServer } from "../config/limiter-server.ts";
import type { Settings } from "../config/settings.ts";
import type { Limiter } from "../rate-limiter/types.ts";

/** What a command may replace in the client of the service; `onEvent` is called as well. */
export type ClientOverrides = Partial<
  Pick<
    PetsApiOptions,
    "signal" | "sendSignal" | "wait" | "onEvent" | "maxSends" | "maxWaitMs" | "despite503"
  >
> & {
  /** Whether the command itself notes the deprecation, so that headers say nothing new. */
  readonly notesDeprecation?: true;
};

export type LimitedKey = Pick<
  ServiceConnection,
  "baseUrl" | "apiKey" | "keyCommand" | "limiterServer"
>;

/** The service that a command uses; each part is made when it is first needed. */
export interface CommandService {
  /** Returns what this command uses, and where it comes from, without running a key command. */
  sources(): Promise<ServiceSources>;
  /** Returns the base URL and the key of the sources, likewise. */
  target(): Promise<ServiceTarget>;
  /** Returns the settings with those of the profile. */
  settings(): Promise<Settings>;
  /** Returns the key and base URL of this command; runs a key command, once. */
  connection(): Promise<ServiceConnection>;
  /** Returns a client of the service, by default over the connection of this command. */
  api(connection?: ServiceConnection, overrides?: ClientOverrides): Promise<PetsApi>;
  localStore(): Promise<LocalStore>;
  /** Returns the server through which machines share their limiters, if there is one. */
  limiterServer(): Promise<LimiterServer | undefined>;
  /** Returns the limiter of a key at an origin: one for all requests, even if its log can't be written. */
  limiter(key: LimitedKey): Promise<Limiter>;
  /** Waits until everything that this command shares with other processes is written. */
  close(): Promise<void>;
}
