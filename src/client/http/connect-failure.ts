import { errorCode, errorMessage } from "../../core/errors.ts";
import { type AttemptOutcome, onlyHttp2, timedOut } from "./outcome.ts";

export type NeverSent = Extract<AttemptOutcome, { kind: "never_sent" }>;

/** Why a connection could not be made; nothing was sent on it. Its reason is for the user, and names the host or proxy. */
export class ConnectFailure extends Error {
  override readonly name = "ConnectFailure";
  readonly outcome: NeverSent;

  constructor(outcome: Omit<NeverSent, "kind">, cause?: unknown) {
    super(outcome.reason, { cause });
    this.outcome = { kind: "never_sent", ...outcome };
  }
}

/** What Node and OpenSSL call the ways in which a certificate is wrong (`X509_V_ERR_…`, verify(1)). */
const certificateCode =
  /^\S*(?:CERT|CRL|LEAF)|^INVALID_(?:CA|PURPOSE)\b|^PATH_LENGTH|^UNSPECIFIED\b/;

/** The problems with a service or a proxy for which the advice is the same. */
const advisedAlike = new Set(["expired", "authority", "clientCertificate", "onlyHttp2"]);

/** By code; some errors have the more telling one of OpenSSL only in their message, which follows. */
const tlsProblems: readonly (readonly [codeAndMessage: RegExp, problem: NeverSent["problem"]])[] = [
  // The alerts of a peer that wants a client certificate, or another one.
  [/^ERR_SSL_\S*ALERT_(?:\w*CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/, "clientCertificate"],
  [/^ERR_SSL_\S*NO_APPLICATION_PROTOCOL/, "onlyHttp2"],
  [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID) /, "expired"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID /, "otherHost"],
  [/^\S*SELF_SIGNED|^UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|^CERT_UNTRUSTED /, "authority"],
  [certificateCode, "certificate"],
  [/^(?:EPROTO|ERR_SSL_).*(?:unsupported.protocol|alert.protocol.version)/is, "oldTls"],
  [/^(?:EPROTO|ERR_SSL_).*(?:wrong.version.number|packet.length.too.long)/is, "noTls"],
  [/^(?:EPROTO|ERR_SSL_)/, "tls"],
];

/** Returns an error of connecting to `peer` as a ConnectFailure; `byProxy` if that is a proxy. */
export function connectFailure(error: unknown, peer: string, byProxy = false): ConnectFailure {
  if (error instanceof ConnectFailure) return error;
  const code = errorCode(error);
  const text = errorMessage(error);
  const problem = tlsProblems.find(([pattern]) => pattern.test(`${code} ${String(error)}`))?.[1];
  if (problem !== undefined) {
    const reason = tlsReason(problem, peer, code, text);
    const isOwn = byProxy && !advisedAlike.has(problem);
    return new ConnectFailure({ reason, problem: isOwn ? "proxy" : problem, final: true }, error);
  }
  if (code === "UND_ERR_CONNECT_TIMEOUT") return new ConnectFailure(timedOut(peer), error);
  // Node's parse errors: only a proxy's reply can cause them here.
  const why = code.startsWith("HPE_") ? "its response is not HTTP" : text;
  const own = code === "ECONNREFUSED" ? "refused" : "unreachable";
  const reason = `${peer} is unreachable: ${why}`;
  return new ConnectFailure({ reason, problem: byProxy ? "proxy" : own }, error);
}

function tlsReason(problem: string, peer: string, code: string, text: string): string {
  if (problem === "onlyHttp2") return onlyHttp2(peer).reason;
  if (problem === "clientCertificate") return `${peer} requires a client certificate`;
  if (!certificateCode.test(code)) return `${peer} failed the TLS handshake (${code})`;
  // Without Node's advice to its own users.
  const why = text.replace(/; if the root CA is installed locally.*/, "").replace(/[\s:,;.]+$/, "");
  return `the certificate of ${peer} is not accepted: ${why}`;
}
