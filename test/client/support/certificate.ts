import { execFileSync } from "node:child_process";

const words =
  "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout - -out -";

/** Returns a key and a self-signed certificate for these names. */
export function makeCertificate(names: string): { key: Buffer; cert: Buffer } {
  const subject = ["-subj", "/CN=pets test", "-addext", `subjectAltName=${names}`];
  const both = execFileSync("openssl", [...words.split(" "), ...subject], { stdio: "pipe" });
  const at = both.indexOf("-----BEGIN CERTIFICATE");
  return { key: both.subarray(0, at), cert: both.subarray(at) };
}

/** Returns a certificate with the same key that has expired. */
export function expire({ key }: { readonly key: Buffer }): { key: Buffer; cert: Buffer } {
  // openssl opens the file, which is a pipe only behind cat.
  const form = "cat | openssl x509 -new -subj /CN=pets -signkey /dev/stdin -days -1";
  return { key, cert: execFileSync("sh", ["-c", form], { input: key, stdio: "pipe" }) };
}
