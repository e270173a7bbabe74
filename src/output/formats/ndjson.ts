import { stringifyExact } from "../../core/json/stringify.ts";
import { pickFields, type RenderedRecord, type RenderOptions, shownColumns } from "../records.ts";

/** A line of JSON for each record. */
export function renderNdjson(records: readonly RenderedRecord[], options: RenderOptions): string {
  const columns = shownColumns(options);
  return records.map((record) => `${stringifyExact(pickFields(record, columns))}\n`).join("");
}
