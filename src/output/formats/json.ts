import { stringifyExact } from "../../core/json/stringify.ts";
import { jsonValue, type RenderedRecord, type RenderOptions } from "../records.ts";
import { type RecordStream, type RecordWriter, streamOf } from "./format.ts";

/** One line of JSON for each record. */
export const ndjsonWriter = {
  open: (options) =>
    streamOf("", (records) =>
      records.map((record) => `${stringifyExact(jsonValue(record, options))}\n`).join(""),
    ),
} satisfies RecordWriter;

/** One JSON value and a line end: an array, or the single record; indented on a terminal only. */
export const jsonWriter = {
  open(options) {
    if (options.live) return ndjsonWriter.open(options);
    return options.single ? jsonObject(options) : jsonArray(options);
  },
} satisfies RecordWriter;

function jsonObject(options: RenderOptions): RecordStream {
  const indent = options.terminal ? 2 : 0;
  return streamOf("", ([record = {}]) => `${stringifyExact(jsonValue(record, options), indent)}\n`);
}

function jsonArray(options: RenderOptions): RecordStream {
  const [indent, itemBreak] = options.terminal ? [2, "\n"] : [0, ""];
  let before = "[";
  const item = (record: RenderedRecord): string => {
    const text = stringifyExact(jsonValue(record, options), indent);
    const start = before + itemBreak;
    before = ",";
    return start + (indent > 0 ? indentLines(text, "  ") : text);
  };
  return {
    add: (records) => records.map(item).join(""),
    end: () => (before === "[" ? "[]\n" : `${itemBreak}]\n`),
  };
}

// Not /^/gm, which also matches after U+2028 and U+2029: a name may contain them.
const indentLines = (text: string, by: string): string => by + text.replaceAll("\n", `\n${by}`);
