import { isApiKey } from "./api-key.ts";
import { usageFailure } from "./errors.ts";

/** `key`, when it can be sent. Throws a usage Failure that names `from` and does not show the key. */
export function parseApiKey(key: string, from: string): string {
  if (isApiKey(key)) return key;
  const problem = key === "" ? "is empty" : "holds white space, or a character that is not ASCII";
  throw usageFailure(`the key from ${from} ${problem}; it must be printable ASCII without spaces`);
}
