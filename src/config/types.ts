import type { RedisServer } from "../core/redis-server.ts";

/** The global options as typed, unchecked. */
export interface RawGlobals {
  /** False for the `--no-profile` of `pets serve`. */
  readonly profile?: string | false;
  readonly baseUrl?: string;
  readonly output?: string;
  readonly json?: boolean;
  readonly fields?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** False for `--no-color`. */
  readonly color?: boolean;
  readonly timeout?: string;
  readonly maxWait?: string;
  readonly allowHttp?: boolean;
}

/** A value and the flag or variable that it came from, for messages. */
export interface Sourced<T> {
  readonly value: T;
  readonly from: string;
}

/** The global options and the environment, checked and merged; no profile has been read. */
export interface Settings {
  readonly profile: Sourced<string> | undefined;
  readonly baseUrl: Sourced<URL> | undefined;
  /** The key from `PETS_API_KEY`. */
  readonly apiKey: string | undefined;
  /** The names given to `--fields`, not yet compared with what the command shows. */
  readonly fields: readonly string[] | undefined;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** False for `--no-color`. */
  readonly color: boolean;
  readonly timeoutMs: number;
  readonly maxWaitMs: number;
  readonly allowHttp: boolean;
  /** The URL of the limiter's server from `PETS_LIMITER`, or `off`. */
  readonly limiter: Sourced<string> | undefined;
  /** Whether the environment says that nothing may be sent without that server. */
  readonly limiterRequired: boolean;
}

/** A server through which machines share one rate limiter (`help fleet`). */
export interface LimiterServer extends RedisServer {
  /** Scheme, host and port: what may be shown of its URL. */
  readonly url: string;
  /** Whether nothing may be sent without it. */
  readonly required: boolean;
}

/** Where requests go, and with which API key. */
export interface ServiceConnection {
  readonly baseUrl: URL;
  readonly apiKey: string;
  /** The profile that the key comes from; undefined if it comes from elsewhere. */
  readonly profile?: string;
  /** Whether the key was printed by the key command of that profile. */
  readonly fromCommand?: boolean;
  /** The server of its limiter, which overrides that of the settings; null for none. */
  readonly limiterServer?: LimiterServer | null;
}

/** A profile as it is stored. */
export interface Profile {
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** The command that prints the key, if the key itself is not stored. */
  readonly keyCommand?: string;
  /** The name (a hash) of the limiter's state for the key that `keyCommand` printed last (`help rate-limits`). */
  readonly limiterState?: string;
  /** The URL of the server through which machines share a rate limiter, and whether it is required. */
  readonly limiter?: string;
  readonly limiterRequired?: boolean;
  /** Whether `pets serve` saved it, and so may replace it; `memory` if it goes when its store stops. */
  readonly madeByServe?: boolean | "memory";
}

/** All profiles as they are stored; `current` may name one that does not exist. */
export interface ProfileData {
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** The profile file. Every method throws an io Failure (exit 1) that names the file if it is damaged or can't be used. */
export interface ProfileStore {
  readonly file: string;
  read(): Promise<ProfileData>;
  /** Reads, changes and writes under a lock between processes; returns what was written. */
  update(change: (data: ProfileData) => ProfileData): Promise<ProfileData>;
}

/** What resolving the settings needs of the profiles. */
export type ProfileReader = Pick<ProfileStore, "read">;
