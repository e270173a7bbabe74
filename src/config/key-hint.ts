import type { ServiceConnection } from "./types.ts";

/** Returns what to do about a key that the service rejects. */
export function keyHint({ profile }: Pick<ServiceConnection, "profile">): string {
  return profile === undefined
    ? "check the key in PETS_API_KEY"
    : `log in again: \`pets login --profile ${profile}\``;
}
