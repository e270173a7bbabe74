import type { ServiceConnection } from "./types.ts";

/** Returns what to do about a key that the service rejects. */
export function keyHint({
  profile,
  fromCommand,
}: Pick<ServiceConnection, "profile" | "fromCommand">): string {
  if (profile === undefined) return "check the key in PETS_API_KEY";
  return fromCommand
    ? `check which key the key command prints: see \`pets profile show ${profile}\``
    : `log in again: \`pets login --profile ${profile}\``;
}
