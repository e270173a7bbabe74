import type { OutputFormat } from "../core/enums.ts";
import type { RenderedRecord, RenderOptions } from "./records.ts";

/** Returns records as the text of one format. */
type Renderer = (
  records: readonly RenderedRecord[],
  options: RenderOptions,
) => string | Promise<string>;

const renderers: Record<OutputFormat, () => Promise<Renderer>> = {
  table: async () => (await import("./formats/table.ts")).renderTable,
  json: async () => (await import("./formats/json.ts")).renderJson,
  ndjson: async () => (await import("./formats/json.ts")).renderNdjson,
  csv: async () => (await import("./formats/csv.ts")).renderCsv,
  tsv: async () => (await import("./formats/tsv.ts")).renderTsv,
};

/**
 * Returns records in the requested format, ready for standard output (contract.md, What goes where).
 * Without records: `[]`, nothing for NDJSON and tables, the header for CSV and TSV.
 */
export async function renderRecords(
  records: readonly RenderedRecord[],
  { format, ...options }: RenderOptions & { readonly format: OutputFormat },
): Promise<string> {
  const render = await renderers[format]();
  return render(records, options);
}
