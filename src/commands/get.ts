import type { Context } from "./context.ts";
import { petColumns } from "../output/columns.ts";
import { fieldNames } from "../completion/values.ts";
import type { CommandDefinition } from "./command.ts";
import { openPrinter } from "./print.ts";
import { parseId } from "./arguments.ts";

export const get: CommandDefinition = {
  name: "get",
  summary: "fetch one animal by id (deprecated)",
  arguments: [{ syntax: "<id>", description: "id of the animal" }],
  fields: fieldNames("pet_fields", petColumns),
  notes: ["The service removes this on 5 December 2030; use `pets list --status` instead."],
  examples: [
    { line: "pets get 7", stdout: /^7 +Pet 7 +1 +available$/m, stderr: /5 December 2030/ },
    {
      line: "name=$(pets get 7 --json --quiet | jq -r .name)",
      stdout: /^name=Pet 7$/,
      stderr: /^$/,
    },
    {
      line: "pets list --status available --json | jq '.[] | select(.id == 7)'",
      stdout: /^\{\s*"id": 7,\s*"name": "Pet 7",[^{}]*\}\n$/,
    },
  ],
  run: runGet,
};

/** Fetches one animal (`GET /pets/{petId}`), and notes that the service will remove this. */
async function runGet(context: Context, text: string): Promise<void> {
  const id = parseId(text, "ID");
  const printer = await openPrinter(context, petColumns);
  const api = await context.api();
  await context.noteDeprecation(
    "pets get is deprecated: the service removes it on 5 December 2030. Use `pets list --status` instead.",
  );
  const pet = await api.get(id);
  await printer.print([pet], { single: true });
}
