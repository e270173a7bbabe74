import { errorMessage } from "../../core/errors.ts";

/** What is known about a ConnectFailure besides its message. */
type ConnectFacts = Partial<Pick<ConnectFailure, "cause" | "final" | "isProxy">>;

/** Why a connection could not be made; nothing was sent on it. */
export class ConnectFailure extends Error {
  readonly kind: "network" | "tls" | "certificate";
  /** Whether a retry is pointless. */
  readonly final: boolean;
  /** Whether nothing listens there (ECONNREFUSED). */
  readonly isRefused: boolean;
  /** Whether it is the proxy that can't be used. */
  readonly isProxy: boolean;

  /** `message` is for the user, and names the host or the proxy. */
  constructor(kind: ConnectFailure["kind"], message: string, facts: ConnectFacts = {}) {
    const { cause, final = false, isProxy = false } = facts;
    super(message, { cause });
    this.name = "ConnectFailure";
    this.kind = kind;
    this.final = final || kind !== "network";
    this.isRefused = codeOf(cause) === "ECONNREFUSED";
    this.isProxy = isProxy;
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
  isProxy = false,
): ConnectFailure {
  if (error instanceof ConnectFailure) return error;
  const code = codeOf(error);
  const text = errorMessage(error);
  const facts = { cause: error, isProxy };
  if (hasCertificateError(socket)) {
    return new ConnectFailure(
      "certificate",
      `the certificate of ${peer} is not accepted: ${withoutAdvice(text)}`,
      facts,
    );
  }
  if (code === "EPROTO" || code.startsWith("ERR_SSL_")) {
    return new ConnectFailure("tls", `${peer} failed the TLS handshake (${code})`, facts);
  }
  const reason = reasons[code] ?? (code.startsWith("HPE_") ? noHttp : text);
  return new ConnectFailure("network", `${peer} could not be reached: ${reason}`, facts);
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
