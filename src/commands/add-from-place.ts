import path from "node:path";
import { journalName } from "../bulk/journal-folder.ts";
import type { JournalPlace } from "../bulk/journal-view.ts";
import type { Context } from "../context.ts";
import type { CheckedInput } from "./add-from-input.ts";

/** Where the journal of an input is, for whoever sends it to `baseUrl`. */
export function placeOf({ folders }: Context, input: CheckedInput, baseUrl: URL): JournalPlace {
  const folder = path.join(folders.state, "bulk");
  return { folder, name: journalName(input.content, baseUrl), rows: input.count };
}
