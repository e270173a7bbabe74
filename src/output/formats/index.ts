import { outputFormatNames, type OutputFormatName } from "../../core/enums.ts";
import type { RenderedRecord, RenderOptions } from "../records.ts";
import type { OutputFormat } from "./format.ts";

/** The formats of `--output`. */
export const outputFormats: Readonly<Record<OutputFormatName, OutputFormat>> = {
  table: { kind: "table", load: async () => (await import("./table.ts")).tableWriter },
  json: { kind: "json", load: async () => (await import("./json.ts")).jsonWriter },
  ndjson: { kind: "json", load: async () => (await import("./json.ts")).ndjsonWriter },
  csv: { kind: "flat", load: async () => (await import("./csv.ts")).csvWriter },
  tsv: { kind: "flat", load: async () => (await import("./tsv.ts")).tsvWriter },
};

/**
 * Returns records in the requested format, ready for standard output (`help output`). Without records:
 * `[]`, nothing for NDJSON and tables, the header for CSV and TSV.
 */
export async function renderRecords(
  records: readonly RenderedRecord[],
  format: OutputFormatName,
  options: RenderOptions,
): Promise<string> {
  const writer = await outputFormats[format].load();
  if (writer.render !== undefined) return writer.render(records, options);
  const stream = await writer.open({ ...options, widths: [], live: false });
  return stream.add(records) + stream.end();
}

/** The format of a command's output. */
interface OutputSettings {
  readonly format: OutputFormatName;
}

/** Returns whether output is a table for people, with times of their zone and notes. */
export function isTable({ format }: OutputSettings): boolean {
  return outputFormats[format].kind === "table";
}

/** Returns whether output is JSON values, which may hold whole objects. */
export function isJson({ format }: OutputSettings): boolean {
  return outputFormats[format].kind === "json";
}

/** Returns whether errors are JSON, by options that may be wrong (`help output`). */
export function hasJsonErrors(
  { output, json }: { readonly output?: unknown; readonly json?: unknown },
  fromEnvironment = "",
): boolean {
  const asked = json === true ? "json" : (output ?? fromEnvironment);
  return outputFormatNames.some((name) => name === asked && outputFormats[name].kind === "json");
}
