import type { Context } from "../context.ts";
import { usageFailure } from "../../core/errors.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import type { TlsFiles } from "../../server/http/tls.ts";

/** The flags that say where and how the store is reached, as typed. */
export interface AddressOptions {
  readonly host?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** Where the store is reached, and over TLS where files for it are named. */
export interface Address {
  /** As `URL.hostname` has it: IPv6 in brackets. */
  readonly host: string;
  readonly tls: TlsFiles | undefined;
}

/**
 * The flags that say how the store is reached, checked: without TLS others may reach it only with
 * --allow-http (store.md, Starting it). Throws a usage Failure.
 */
export function readAddress({ settings }: Context, options: AddressOptions): Address {
  const tls = readTlsFiles(options);
  const text = options.host ?? "127.0.0.1";
  const host = parseHost(text);
  if (tls !== undefined || settings.allowHttp || isLoopbackHost(host)) return { host, tls };
  throw usageFailure(
    `--host ${JSON.stringify(text)} is not this machine alone: keys would go over the network unencrypted`,
    "give --tls-cert and --tls-key to encrypt them",
    "give --allow-http to do it all the same",
  );
}

function readTlsFiles({ tlsCert, tlsKey }: AddressOptions): TlsFiles | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw usageFailure("--tls-cert and --tls-key must be given together");
  if (tlsCert === "") throw usageFailure("--tls-cert must be the name of a file, and is empty");
  if (tlsKey === "") throw usageFailure("--tls-key must be the name of a file, and is empty");
  return { cert: tlsCert, key: tlsKey };
}

function parseHost(text: string): string {
  const bare = text.includes(":") && !text.startsWith("[") ? `[${text}]` : text;
  const url = /^[\w.:[\]-]+$/.test(bare) ? URL.parse(`http://${bare}`) : null;
  if (url !== null && url.port === "") return url.hostname;
  throw usageFailure(`--host must be a host name or an IP address, not ${JSON.stringify(text)}`);
}
