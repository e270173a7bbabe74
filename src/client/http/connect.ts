import type { Socket } from "node:net";
import { buildConnector } from "undici";
import { errorMessage } from "../../core/errors.ts";
import { maxTimerMs } from "../../platform/io.ts";
import type { AttemptOutcome } from "./outcome.ts";
import type { Proxy } from "./proxy.ts";

/** Why a connection could not be made; nothing was sent on it. Its reason is for the user, and names the host or proxy. */
export class ConnectFailure extends Error {
  override readonly name = "ConnectFailure";
  readonly outcome: Extract<AttemptOutcome, { kind: "never_sent" | "tls" }>;

  constructor(outcome: ConnectFailure["outcome"], cause?: unknown) {
    super(outcome.reason, { cause });
    this.outcome = outcome;
  }
}

/**
 * Returns a function that opens undici's connections, through `proxy` if given, within `timeoutMs`. Its errors are
 * ConnectFailures: after one with a code of undici's own, undici would reconnect for ever.
 */
export function createConnect(
  proxy: Proxy | undefined,
  timeoutMs: number,
): buildConnector.connector {
  const timeout = Math.min(timeoutMs, maxTimerMs);
  const open = buildConnector({ allowH2: false, timeout });
  const direct: buildConnector.connector = (options, callback) => {
    open(options, (error, socket) => {
      if (error) callback(connectFailure(error, options.host ?? options.hostname), null);
      else callback(null, socket);
    });
  };
  if (proxy === undefined) return direct;
  return (options, callback) => {
    const connected = (httpSocket: Socket): void => {
      if (options.protocol === "https:") direct({ ...options, httpSocket }, callback);
      else callback(null, httpSocket);
    };
    const failed = (error: unknown): void => {
      callback(connectFailure(error, options.hostname), null);
    };
    tunnelTo(proxy, options, timeout).then(connected, failed);
  };
}

async function tunnelTo(
  proxy: Proxy,
  { hostname, port, protocol }: buildConnector.Options,
  timeoutMs: number,
): Promise<Socket> {
  const { openTunnel } = await import("./tunnel.ts");
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const target = `${host}:${port || (protocol === "https:" ? 443 : 80)}`;
  return openTunnel(proxy, target, AbortSignal.timeout(timeoutMs));
}

/** What Node and OpenSSL call the ways in which a certificate is wrong (`X509_V_ERR_…`, verify(1)). */
const certificateCode = /CERT|CRL|LEAF|^INVALID_(?:CA|PURPOSE)$|^PATH_LENGTH|^UNSPECIFIED$/;

/** Returns an error of connecting to `peer`, which may be a proxy, as a ConnectFailure. */
export function connectFailure(error: unknown, peer: string, byProxy = false): ConnectFailure {
  if (error instanceof ConnectFailure) return error;
  const code = codeOf(error);
  const text = errorMessage(error);
  if (code === "EPROTO" || code.startsWith("ERR_SSL_")) {
    const reason = `${peer} failed the TLS handshake (${code})`;
    return new ConnectFailure({ kind: "tls", reason, certificate: false }, error);
  }
  if (certificateCode.test(code)) {
    // Without Node's advice to its own users.
    const why = text
      .replace(/; if the root CA is installed locally.*/, "")
      .replace(/[\s:,;.]+$/, "");
    const reason = `the certificate of ${peer} is not accepted: ${why}`;
    return new ConnectFailure({ kind: "tls", reason, certificate: true }, error);
  }
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ABORT_ERR") {
    const reason = `${peer} is unreachable: connection timed out`;
    return new ConnectFailure({ kind: "never_sent", reason, timedOut: true }, error);
  }
  // Node's parse errors: only a proxy's reply can cause them here.
  const why = code.startsWith("HPE_") ? "its response is not HTTP" : text;
  const reason = `${peer} is unreachable: ${why}`;
  const refused = code === "ECONNREFUSED";
  return new ConnectFailure({ kind: "never_sent", reason, refused, byProxy }, error);
}

/** Returns the code of a system error or one of undici's (`ECONNREFUSED`), else an empty text. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
