import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { errorMessage, orIoFailure, usageFailure } from "../../core/errors.ts";

/** The files that `--tls-cert` and `--tls-key` name. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** The server's certificate and key. */
export interface TlsIdentity {
  /** The certificate and its chain, in PEM. */
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Whether the certificate is self-signed: clients must be configured to trust it. */
  readonly isSelfSigned: boolean;
}

/**
 * The options of every TLS server here, whatever Node's own options: at least TLS 1.2 (RFC 8996), and
 * for 1.2 only suites with forward secrecy and AEAD (RFC 9325, 4.2), which all suites of 1.3 have.
 */
export const tlsOptions = {
  minVersion: "TLSv1.2",
  ciphers: [
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_AES_128_GCM_SHA256",
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-CHACHA20-POLY1305",
  ].join(":"),
} as const;

/**
 * Reads a certificate and its key, both in PEM. Throws an io Failure for a file that can't be read,
 * and a usage Failure for a file with the wrong content.
 */
export function readTls(files: TlsFiles): TlsIdentity {
  const cert = orIoFailure(`--tls-cert: ${files.cert} cannot be read`, () =>
    readFileSync(files.cert),
  );
  const key = orIoFailure(`--tls-key: ${files.key} cannot be read`, () => readFileSync(files.key));
  const certificate = parseCertificate(cert, files.cert);
  if (!certificate.checkPrivateKey(parseKey(key, files.key)))
    throw usageFailure(
      `the key in ${files.key} (--tls-key) does not belong to the first certificate in ${files.cert} (--tls-cert)`,
      "in a file with several certificates, the server's own must come first",
    );
  try {
    createSecureContext({ ...tlsOptions, cert, key });
  } catch (error) {
    throw usageFailure(
      `the certificate in ${files.cert} (--tls-cert) cannot be used: ${errorMessage(error)}`,
    );
  }
  return { cert, key, isSelfSigned: certificate.verify(certificate.publicKey) };
}

function parseCertificate(pem: Buffer, file: string): X509Certificate {
  try {
    if (pem.includes("-----BEGIN CERTIFICATE-----")) return new X509Certificate(pem);
  } catch {
    // Reported below.
  }
  throw usageFailure(`--tls-cert: ${file} contains no PEM certificate`);
}

function parseKey(pem: Buffer, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    if (/^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(pem.toString("latin1")))
      throw usageFailure(
        `--tls-key: the key in ${file} needs a passphrase`,
        `remove it: openssl pkey -in ${file} -out FILE`,
      );
    throw usageFailure(`--tls-key: ${file} contains no PEM private key`);
  }
}
