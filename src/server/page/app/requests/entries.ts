import type { RequestEntry } from "../../../request-log/types.ts";
import { getText } from "../api.ts";

let kept: readonly RequestEntry[] = [];

/** Keeps the entries on the screen, and those that came since, for when the store has forgotten them. */
export async function keepEntries(): Promise<void> {
  kept = JSON.parse(await getText("/_store/requests?last=200"));
}

/** Forgets what `keepEntries` kept. */
export function releaseEntries(): void {
  kept = [];
}

/** Returns the whole entry of a request. Throws a RequestFailure. */
export async function loadEntry(id: string): Promise<RequestEntry> {
  const found = kept.find((entry) => entry.id === id);
  return found ?? JSON.parse(await getText(`/_store/requests/${encodeURIComponent(id)}`));
}
