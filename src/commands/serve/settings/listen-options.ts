import path from "node:path";
import { usageFailure } from "../../../core/errors.ts";
import { isLoopbackHost } from "../../../core/loopback.ts";
import { isDatabaseUrl } from "../../../server/storage/open.ts";
import type { Context } from "../../context.ts";
import type { ServeOptions } from "./options.ts";

/**
 * Returns where the store listens. Without TLS other machines may reach it only with --allow-http. Throws a
 * usage Failure.
 */
export function readAddress({ settings }: Context, options: ServeOptions) {
  const { host = "127.0.0.1", tlsCert, tlsKey } = options;
  const isSecure = tlsCert !== undefined && tlsKey !== undefined;
  if (isSecure || settings.allowHttp || isLoopbackHost(host))
    return { host, tls: isSecure ? { cert: tlsCert, key: tlsKey } : undefined };
  throw usageFailure(
    `--host ${host} is reachable from other machines: without TLS, API keys would be sent unencrypted`,
    "use TLS: --tls-cert and --tls-key",
    "or allow it with --allow-http",
  );
}

/** Where the data is. */
export interface DataLocation {
  /** The data file, or the URL of a database; undefined for memory. */
  readonly file: string | undefined;
  /** Whether the file is in the program's own data directory, which may have to be created. */
  readonly isDefaultFolder: boolean;
}

/** Matches database URLs, even mistyped ones: no file may be named after a password. */
const looksLikeUrl = /^\s*(?:[a-z][a-z0-9+.-]+:\/\/|postgres(?:ql)?:)/i;

/**
 * Returns where the data is: as --data or --memory says; by default in memory for a command, else in
 * the program's own data directory. Throws a usage Failure.
 */
export function readData(
  context: Context,
  { data, memory }: ServeOptions,
  hasCommand: boolean,
): DataLocation {
  if (memory === true || (hasCommand && data === undefined))
    return { file: undefined, isDefaultFolder: false };
  return { file: dataPlace(context, data), isDefaultFolder: data === undefined };
}

/**
 * Returns the file or URL that `--data` names; without it, a file in the program's own data directory. Throws a
 * usage Failure.
 */
export function dataPlace({ folders }: Context, data: string | undefined): string {
  if (data === undefined) return path.join(folders.data, "store.db");
  if (data === "") throw usageFailure('--data must be a file name or a postgres:// URL, not ""');
  if (isDatabaseUrl(data) || !looksLikeUrl.test(data)) return data;
  throw usageFailure(
    "--data must be a file name or a URL such as postgres://user@host:5432/database",
  );
}
