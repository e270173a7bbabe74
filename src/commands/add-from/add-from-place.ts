import path from "node:path";
import { journalName } from "../../bulk/journal/journal-folder.ts";
import type { JournalRef } from "../../bulk/journal/journal-view.ts";
import type { Context } from "../context.ts";
import type { ValidatedInput } from "./add-from-input.ts";

/** Where the journal of an input is, for whoever sends it to `baseUrl`. */
export function journalRef({ folders }: Context, input: ValidatedInput, baseUrl: URL): JournalRef {
  const folder = path.join(folders.state, "bulk");
  return { folder, name: journalName(input.content, baseUrl), rows: input.count };
}
