import { maskKey } from "../core/api-key.ts";
import type { ServiceConnection } from "./types.ts";

/** Returns the masked key of a connection and where it comes from, for messages. */
export function keyName({
  apiKey,
  profile,
  fromCommand,
}: Pick<ServiceConnection, "apiKey" | "profile" | "fromCommand">): string {
  const key = maskKey(apiKey);
  if (profile === undefined) return `${key} from PETS_API_KEY`;
  return fromCommand
    ? `${key} from the key command of profile ${profile}`
    : `${key} of profile ${profile}`;
}

/** Returns what to do about a key that the service rejects. */
export function keyHint({
  profile,
  fromCommand,
}: Pick<ServiceConnection, "profile" | "fromCommand">): string {
  if (profile === undefined) return "check PETS_API_KEY, or unset it to use a profile";
  return fromCommand
    ? `check which key the key command prints: see \`pets profile show ${profile}\``
    : `log in again: \`pets login --profile ${profile}\``;
}
