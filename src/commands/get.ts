import type { Context } from "./context.ts";
import { petColumns } from "../output/columns.ts";
import type { CommandDefinition } from "./command.ts";
import { selectFields, printRecords } from "./print.ts";
import { parseId } from "./arguments.ts";

export const get: CommandDefinition = {
  name: "get",
  summary: "fetch one animal by its id (deprecated)",
  configure(command, action) {
    command.argument("<id>", "the animal's id").action(action(runGet));
  },
};

/** Fetches one animal (`GET /pets/{petId}`), after telling that the service will remove this. */
async function runGet(context: Context, text: string): Promise<void> {
  const id = parseId(text, "ID");
  await selectFields(context, petColumns);
  const api = await context.api();
  await context.noteDeprecation(
    "pets get is deprecated: the service removes it on 5 December 2030. Use `pets list --status` instead.",
  );
  const pet = await api.get(id);
  await printRecords(context, [pet], petColumns, { single: true });
}
