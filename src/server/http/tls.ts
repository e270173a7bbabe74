import { X509Certificate } from "node:crypto";
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
 * Reads a certificate and its key, both in PEM. Throws an io Failure for a file that can't be read,
 * and a usage Failure for files with the wrong content.
 */
export function readTls(files: TlsFiles): TlsIdentity {
  const cert = readOption("--tls-cert", files.cert);
  const key = readOption("--tls-key", files.key);
  try {
    createSecureContext({ cert, key });
    const certificate = new X509Certificate(cert);
    return { cert, key, isSelfSigned: certificate.verify(certificate.publicKey) };
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
