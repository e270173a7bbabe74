import type { LocalStore } from "../../client/local-store.ts";
import { isJson } from "../../output/formats/index.ts";
import type { RecordColumn, RenderedRecord } from "../../output/records.ts";
import type { Context } from "../context.ts";
import { openPrinter } from "../print.ts";

/** What to do about a store that may not be changed. */
export const labHint = "start the store with `pets serve --lab`";

/**
 * Prints the JSON object that a store returns: in full as JSON, otherwise as the record, or the records, that
 * `toRecords` makes of it. Returns it.
 */
export async function printReply<T extends object>(
  context: Context,
  columns: readonly RecordColumn[],
  ask: (store: LocalStore) => Promise<T>,
  toRecords: (value: T) => RenderedRecord | readonly RenderedRecord[] = (value) => value,
): Promise<T> {
  const printer = await openPrinter(context, columns);
  const value = await ask(await context.localStore());
  const isWhole = isJson(context.settings) && printer.fields === undefined;
  const records = isWhole ? value : toRecords(value);
  await (Array.isArray(records)
    ? printer.print(records, { single: false })
    : printer.print([records], { single: true, whole: isWhole }));
  return value;
}

/** Returns counts of requests as text: `{"200":5,"429":1}` as `200: 5, 429: 1`. */
export function countsAsText(requests: Readonly<Record<string, number>>): string {
  const counts = Object.entries(requests).map(([status, count]) =>
    status === "0" ? `no response: ${count}` : `${status}: ${count}`,
  );
  return counts.join(", ");
}
