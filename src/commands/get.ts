import { pageSize } from "../core/api.ts";
import { Failure } from "../core/errors.ts";
import { petColumns } from "../output/columns.ts";
import { parseId } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";
import { openPrinter } from "./print.ts";

export const get = defineCommand({
  name: "get",
  summary: "fetch one animal by id (deprecated)",
  arguments: [{ syntax: "<id>", description: "id of the animal", parse: parseId }],
  columns: petColumns,
  notes: [
    "The service removes single-animal lookup on 5 December 2030. After that, this command searches the newest 100 animals and the newest 100 of each status. A notice says so at most once a day; --quiet or PETS_NO_DEPRECATION=1 silences it.",
  ],
  examples: [
    { line: "pets get 7", stdout: /^7 +Pet 7 +1 +available$/m, stderr: /5 December 2030/ },
    {
      line: "name=$(pets get 7 --json --quiet | jq -r .name)",
      stdout: /^name=Pet 7$/,
      stderr: /^$/,
    },
    {
      line: "pets list --limit 100 --json | jq '.[] | select(.id == 7)'",
      stdout: /^\{\s*"id": 7,\s*"name": "Pet 7",[^{}]*\}\n$/,
    },
  ],
  run: runGet,
});

/** Fetches one animal (`GET /pets/{petId}`), and notes that the endpoint is deprecated. */
async function runGet(context: Context, { id }: { readonly id: bigint }): Promise<void> {
  const printer = await openPrinter(context, petColumns);
  const api = await context.api(undefined, { notesDeprecation: true });
  const { pet, searched } = await api.get(id).catch(async (error: unknown) => {
    await note(context, error instanceof Failure && error.facts.searched === true);
    throw error;
  });
  await note(context, searched);
  await printer.print(pet);
}

function note(context: Context, searched: boolean): Promise<void> {
  return context.noteDeprecation(searched ? searchNotice : removalNotice);
}

const searchedLists = `the newest ${pageSize.max} animals and the newest ${pageSize.max} of each status`;
const removalNotice = `pets get is deprecated: the service removes single-animal lookup on 5 December 2030. After that, pets get searches ${searchedLists}.`;
const searchNotice = `The service no longer fetches single animals: pets get searches ${searchedLists}.`;
