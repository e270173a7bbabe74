import { stringifyExact } from "../../core/json/stringify.ts";
import { pickFields, type RenderedRecord, type RenderOptions, shownColumns } from "../records.ts";

/** Returns one JSON value and a line end: an array, or the single record; indented on a terminal only. */
export function renderJson(records: readonly RenderedRecord[], options: RenderOptions): string {
  const columns = shownColumns(options);
  const picked = records.map((record) => pickFields(record, columns));
  const value = options.single ? picked[0] : picked;
  return `${stringifyExact(value, options.terminal ? 2 : 0)}\n`;
}

/** Returns one line of JSON for each record. */
export function renderNdjson(records: readonly RenderedRecord[], options: RenderOptions): string {
  const columns = shownColumns(options);
  return records.map((record) => `${stringifyExact(pickFields(record, columns))}\n`).join("");
}
