import type { RenderedRecord, RenderOptions } from "../records.ts";

/** One of the formats of `--output`. */
export interface OutputFormat {
  /**
   * What it shows: a table for people, records of flat fields, or JSON values, which may hold others. Errors
   * are JSON beside JSON values.
   */
  readonly kind: "table" | "flat" | "json";
  readonly load: () => Promise<RecordWriter>;
}

/** Makes text of records, in one format. */
export interface RecordWriter {
  /** Opens a text that is written record by record, in constant memory. */
  open(options: StreamOptions): RecordStream | Promise<RecordStream>;
  /** Returns the text of all records, if it depends on all of them. */
  render?(records: readonly RenderedRecord[], options: RenderOptions): Promise<string>;
}

/** How records are shown as they come. */
export interface StreamOptions extends RenderOptions {
  /** The widths of the widest value of each column, in terminal columns; only tables need them. */
  readonly widths: readonly number[];
  /** Whether each record is complete as it is written, so that JSON is one line for each. */
  readonly live: boolean;
}

/** A text that is written record by record. */
export interface RecordStream {
  /** Returns the text of the next records, with any header or separator before them. */
  add(records: readonly RenderedRecord[]): string;
  /** Returns what follows the last record, or the whole text if there was none. */
  end(): string;
}

/** Returns a stream of what `render` makes, below `header`. */
export function streamOf(
  header: string,
  render: (records: readonly RenderedRecord[]) => string,
): RecordStream {
  let start = header;
  const takeStart = (): string => {
    const text = start;
    start = "";
    return text;
  };
  return { add: (records) => takeStart() + render(records), end: takeStart };
}
