import { Secrets } from "../../../src/core/secrets.ts";

/** Returns the secrets of a process that knows these keys. */
export function secretsOf(...keys: readonly string[]): Secrets {
  const secrets = new Secrets();
  secrets.add(...keys);
  return secrets;
}
