import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { makeCertificate } from "../../client/support/certificate.ts";
import { temporaryFolder } from "../program/program.ts";

/** Makes the files of a self-signed certificate, by default for 127.0.0.1, and of its key. */
export function tlsFiles(names = "IP:127.0.0.1"): { readonly cert: string; readonly key: string } {
  const folder = temporaryFolder();
  const made = makeCertificate(names);
  const files = { cert: path.join(folder, "cert.pem"), key: path.join(folder, "key.pem") };
  writeFileSync(files.cert, made.cert);
  writeFileSync(files.key, made.key, { mode: 0o600 });
  return files;
}

export function openssl(...words: readonly string[]): void {
  execFileSync("openssl", words, { stdio: "pipe" });
}
