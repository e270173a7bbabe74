import type { OutputFormatName } from "../core/enums.ts";
import { outputFormats } from "./formats/index.ts";
import type { RenderedRecord, RenderOptions } from "./records.ts";

/**
 * Returns records in the requested format, ready for standard output (`help output`). Without records:
 * `[]`, nothing for NDJSON and tables, the header for CSV and TSV.
 */
export async function renderRecords(
  records: readonly RenderedRecord[],
  { format, ...options }: RenderOptions & { readonly format: OutputFormatName },
): Promise<string> {
  const writer = await outputFormats[format].load();
  return writer.render(records, options);
}
