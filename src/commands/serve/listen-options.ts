import path from "node:path";
import { usageFailure } from "../../core/errors.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import type { TlsFiles } from "../../server/http/tls.ts";
import { isDatabaseUrl } from "../../server/storage/open.ts";
import type { Context } from "../context.ts";
import type { ServeOptions } from "./options.ts";

/** Where the store listens; over TLS if `tls` is set. */
export interface ListenAddress {
  /** As in `URL.hostname`: IPv6 in brackets. */
  readonly host: string;
  readonly tls: TlsFiles | undefined;
}

/**
 * Returns the checked flags. Without TLS other machines may reach the store only with --allow-http. Throws a
 * usage Failure.
 */
export function readAddress({ settings }: Context, options: ServeOptions): ListenAddress {
  const tls = readTlsFiles(options);
  const text = options.host ?? "127.0.0.1";
  const host = parseHost(text);
  if (tls !== undefined || settings.allowHttp || isLoopbackHost(host)) return { host, tls };
  throw usageFailure(
    `--host ${text} is reachable from other machines: without TLS, API keys would be sent unencrypted`,
    "use TLS: --tls-cert and --tls-key",
    "or allow it with --allow-http",
  );
}

function readTlsFiles({ tlsCert, tlsKey }: ServeOptions): TlsFiles | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw usageFailure("--tls-cert and --tls-key must be used together");
  if (tlsCert === "") throw usageFailure('--tls-cert must be a file name, not ""');
  if (tlsKey === "") throw usageFailure('--tls-key must be a file name, not ""');
  return { cert: tlsCert, key: tlsKey };
}

function parseHost(text: string): string {
  const bare = text.includes(":") && !text.startsWith("[") ? `[${text}]` : text;
  const url = /^[\w.:[\]-]+$/.test(bare) ? URL.parse(`http://${bare}`) : null;
  if (url !== null && url.port === "") return url.hostname;
  throw usageFailure(`--host must be a host name or an IP address, not ${JSON.stringify(text)}`);
}

/** Where the data is. */
export interface DataLocation {
  /** The data file, or the URL of a database; undefined for memory. */
  readonly file: string | undefined;
  /** Whether the file is in the program's own data folder, which may have to be created. */
  readonly isDefaultFolder: boolean;
}

/** Matches database URLs, even mistyped ones: no file may be named after a password. */
const looksLikeUrl = /^\s*(?:[a-z][a-z0-9+.-]+:\/\/|postgres(?:ql)?:)/i;

type PersistentLocation = DataLocation & { readonly file: string };

/**
 * Returns where the data is: as --data or --memory says; by default in memory for a command, else in
 * the program's own data folder. Throws a usage Failure.
 */
export function readData(
  context: Context,
  { data, memory }: ServeOptions,
  hasCommand: boolean,
): DataLocation {
  if (data !== undefined && memory === true)
    throw usageFailure("--data and --memory cannot be used together");
  if (memory === true || (hasCommand && data === undefined))
    return { file: undefined, isDefaultFolder: false };
  return dataLocation(context, data);
}

/**
 * Returns what `--data` names; without it, a file in the program's own data folder. Throws a usage
 * Failure.
 */
export function dataLocation({ folders }: Context, data: string | undefined): PersistentLocation {
  if (data !== undefined) return { file: parseFile(data), isDefaultFolder: false };
  return { file: path.join(folders.data, "store.db"), isDefaultFolder: true };
}

function parseFile(text: string): string {
  if (text === "") throw usageFailure('--data must be a file name or a postgres:// URL, not ""');
  if (isDatabaseUrl(text) || !looksLikeUrl.test(text)) return text;
  throw usageFailure(
    "--data must be a file name or a URL such as postgres://user@host:5432/database",
  );
}
