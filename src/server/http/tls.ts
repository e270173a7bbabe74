import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { createSecureContext } from "node:tls";
import { errorMessage, orIoFailure, usageFailure } from "../../core/errors.ts";
import { formatDateTime, formatZone } from "../../core/format.ts";
import { isLoopbackHost } from "../../core/loopback.ts";

/** The server's certificate, with its chain, and key, both in PEM. */
export type TlsIdentity = ReturnType<typeof readTls>;

/** Reads a certificate and its key, both in PEM. Throws an io Failure, and a usage Failure for a wrong content. */
export function readTls(files: { readonly cert: string; readonly key: string }) {
  const cert = readOption("--tls-cert", files.cert);
  const key = readOption("--tls-key", files.key);
  try {
    const certificate = new X509Certificate(cert);
    // OpenSSL looks for a certificate of the key's type only, and says nothing if there is none.
    if (!certificate.checkPrivateKey(createPrivateKey(key)))
      throw new Error("the key is not that of the certificate");
    createSecureContext({ cert, key });
    /** Whether clients must be configured to trust it. */
    const isSelfSigned = certificate.verify(certificate.publicKey);
    return {
      cert,
      key,
      isSelfSigned,
      hostFor: (host: string) => hostFor(certificate, host),
      /** Returns why clients reject the certificate at a moment, if they do. */
      rejectedAt: (now: number) => rejectedAt(files.cert, certificate, now),
    };
  } catch (error) {
    throw usageFailure(
      `--tls-cert ${files.cert} and --tls-key ${files.key} cannot be used: ${errorMessage(error)}`,
      "Both must be PEM, the key without a passphrase, and the server's certificate first in its file.",
    );
  }
}

function readOption(option: string, file: string): Buffer {
  return orIoFailure(`${option}: ${file} cannot be read`, () => readFileSync(file));
}

function rejectedAt(file: string, { validFrom, validTo }: X509Certificate, now: number) {
  const [start, end] = [validFrom, validTo].map((text) => Date.parse(text));
  if (start === undefined || end === undefined || (now >= start && now <= end)) return undefined;
  const [what, at] = now > end ? ["expired at", end] : ["is only valid from", start];
  return `the certificate ${file} ${what} ${formatDateTime(at)}${formatZone(at)}: clients reject it`;
}

/** Returns `host` if a certificate is for it, else a name that it is for, of this machine if there is one. */
function hostFor(certificate: X509Certificate, host: string): string {
  const bare = host.replace(/^\[|\]$/g, "");
  const isFor = isIP(bare) === 0 ? certificate.checkHost(bare) : certificate.checkIP(bare);
  if (isFor !== undefined) return host;
  // Without other names, it is for its subject (RFC 2818, 3.1).
  const [, commonName = ""] = /^CN=(.+)$/m.exec(certificate.subject) ?? [];
  const { subjectAltName = `DNS:${commonName}` } = certificate;
  const names = [...subjectAltName.matchAll(/(?:DNS|IP Address):([\w.:-]+)(?=,|$)/g)].map(
    ([, name = ""]) => (name.includes(":") ? `[${name}]` : name),
  );
  return names.find(isLoopbackHost) ?? names[0] ?? host;
}
