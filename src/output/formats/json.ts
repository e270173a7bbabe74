import { stringifyExact } from "../../core/json/stringify.ts";
import { jsonValue, type RenderedRecord, type RenderOptions } from "../records.ts";
import type { RecordStream, RecordWriter, StreamOptions } from "./format.ts";
import { ndjsonWriter } from "./ndjson.ts";

/** One JSON value and a line end: an array, or the single record; indented on a terminal only. */
export const jsonWriter = { render, open } satisfies RecordWriter;

function render(records: readonly RenderedRecord[], options: RenderOptions): string {
  const values = records.map((record) => jsonValue(record, options));
  const value = options.single ? (values[0] ?? {}) : values;
  return `${stringifyExact(value, options.terminal ? 2 : 0)}\n`;
}

function open(options: StreamOptions): RecordStream | Promise<RecordStream> {
  return options.live ? ndjsonWriter.open(options) : jsonArray(options);
}

function jsonArray(options: RenderOptions): RecordStream {
  const indent = options.terminal ? 2 : 0;
  const itemBreak = indent > 0 ? "\n" : "";
  let before = "[";
  const item = (record: RenderedRecord): string => {
    const text = stringifyExact(jsonValue(record, options), indent);
    const indented = indent > 0 ? indentLines(text, " ".repeat(indent)) : text;
    const start = before;
    before = ",";
    return start + itemBreak + indented;
  };
  return {
    add: (records) => records.map(item).join(""),
    end: () => (before === "[" ? "[]\n" : `${itemBreak}]\n`),
  };
}

// Not /^/gm, which also matches after U+2028 and U+2029: a name may contain them.
const indentLines = (text: string, by: string): string => by + text.replaceAll("\n", `\n${by}`);
