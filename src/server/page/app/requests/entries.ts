import type { RequestEntry } from "../../../request-log/types.ts";
import { getText } from "../api.ts";

let kept = new Map<string, RequestEntry>();

/** Keeps all entries that the store remembers now, so that they can be opened after it has forgotten them. */
export async function keepEntries(): Promise<void> {
  const entries: readonly RequestEntry[] = JSON.parse(await getText("/_store/requests"));
  kept = new Map(entries.map((entry) => [entry.id, entry]));
}

/** Forgets what `keepEntries` kept. */
export function releaseEntries(): void {
  kept = new Map();
}

/** Returns the whole entry of a request. Throws a RequestFailure. */
export async function loadEntry(id: string): Promise<RequestEntry> {
  const found = kept.get(id);
  if (found !== undefined) return found;
  const entry: RequestEntry = JSON.parse(
    await getText(`/_store/requests/${encodeURIComponent(id)}`),
  );
  return entry;
}
