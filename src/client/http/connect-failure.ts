import { errorMessage } from "../../core/errors.ts";
import type { AttemptOutcome } from "./outcome.ts";

type NoConnection = Extract<AttemptOutcome, { kind: "never_sent" | "tls" }>;

/** Why a connection could not be made; nothing was sent on it. Its reason is for the user, and names the host or proxy. */
export class ConnectFailure extends Error {
  readonly outcome: NoConnection;

  constructor(outcome: NoConnection, cause?: unknown) {
    super(outcome.reason, { cause });
    this.name = "ConnectFailure";
    this.outcome = outcome;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: "host name not found",
  EAI_AGAIN: "host name lookup failed",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network unreachable",
  ETIMEDOUT: "connection timed out",
  EPIPE: "connection closed",
  EACCES: "connecting is not permitted",
  EPERM: "connecting is not permitted",
};

/** The meaning of Node's parse errors, which only a proxy's reply can cause here. */
const noHttp = "it does not speak HTTP";

/**
 * Returns an error of connecting to `peer` as a ConnectFailure. `socket` is what was being connected: a
 * TLS socket knows why it rejected a certificate.
 */
export function connectFailure(
  error: unknown,
  socket: unknown,
  peer: string,
  byProxy = false,
): ConnectFailure {
  if (error instanceof ConnectFailure) return error;
  const code = codeOf(error);
  const text = errorMessage(error);
  if (hasCertificateError(socket)) {
    const reason = `the certificate of ${peer} is not accepted: ${withoutAdvice(text)}`;
    return new ConnectFailure({ kind: "tls", reason, certificate: true }, error);
  }
  if (code === "EPROTO" || code.startsWith("ERR_SSL_")) {
    const reason = `${peer} failed the TLS handshake (${code})`;
    return new ConnectFailure({ kind: "tls", reason, certificate: false }, error);
  }
  const why = reasons[code] ?? (code.startsWith("HPE_") ? noHttp : text);
  const reason = `${peer} could not be reached: ${why}`;
  const refused = code === "ECONNREFUSED";
  return new ConnectFailure({ kind: "never_sent", reason, refused, byProxy }, error);
}

/** Returns OpenSSL's or Node's reason without Node's advice to its own users. */
function withoutAdvice(text: string): string {
  return text.replace(/; if the root CA is installed locally.*/, "").replace(/[\s:,;.]+$/, "");
}

/** Returns the code of a Node error; empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : "";
}

function hasCertificateError(socket: unknown): boolean {
  return (
    socket instanceof Object && "authorizationError" in socket && Boolean(socket.authorizationError)
  );
}
