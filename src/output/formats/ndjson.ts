import { stringifyExact } from "../../core/json/stringify.ts";
import { jsonValue, type RenderedRecord, type RenderOptions } from "../records.ts";
import { type RecordWriter, streamOf } from "./format.ts";

/** One line of JSON for each record. */
export const ndjsonWriter = {
  render,
  open: (options) => streamOf(render, options),
} satisfies RecordWriter;

function render(records: readonly RenderedRecord[], options: RenderOptions): string {
  return records.map((record) => `${stringifyExact(jsonValue(record, options))}\n`).join("");
}
