import type { RequestEntry } from "../../../request-log/types.ts";
import { getText } from "../api.ts";

let kept: readonly RequestEntry[] = [];

/** Keeps all entries that the store remembers now, so that they can be opened after it has forgotten them. */
export async function keepEntries(): Promise<void> {
  kept = JSON.parse(await getText("/_store/requests"));
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
