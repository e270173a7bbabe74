import type { ApiEvent } from "../client/types.ts";
import { pageSize } from "../core/api.ts";
import { Failure } from "../core/errors.ts";
import { petColumns } from "../output/columns.ts";
import { parseId } from "./arguments.ts";
import type { Context } from "./context.ts";
import { newCommand } from "./new-command.ts";

export const get = (getContext: () => Context) =>
  newCommand("get", "fetch one animal by id (deprecated)", {
    columns: petColumns,
    examples: [
      "pets get 7",
      "name=$(pets get 7 --json --quiet | jq -r .name)",
      "pets list --limit 100 --json | jq '.[] | select(.id == 7)'",
    ],
    notes:
      "The service removes single-animal lookup on 5 December 2030. After that, this command searches the newest 100 animals and the newest 100 of each status. A notice says so at most once a day; --quiet or PETS_NO_DEPRECATION=1 silences it.",
  })
    .argument("<id>", "id of the animal", parseId)
    .action(async (id) => {
      const { service, print, noteDeprecation } = getContext();
      const api = await service.api({ onEvent: isDeprecation });
      const { pet, searched } = await api.get(id).catch(async (error: unknown) => {
        await noteDeprecation(noticeOf(error instanceof Failure && error.facts.searched));
        throw error;
      });
      await noteDeprecation(noticeOf(searched));
      await print(pet);
    });

const noticeOf = (searched = false) => (searched ? searchNotice : removalNotice);
/** The notices of this command say more than the headers of a deprecation. */
const isDeprecation = ({ type }: ApiEvent): boolean => type === "deprecation";
const searchedLists = `the newest ${pageSize.max} animals and the newest ${pageSize.max} of each status`;
const removalNotice = `pets get is deprecated: the service removes single-animal lookup on 5 December 2030. After that, pets get searches ${searchedLists}.`;
const searchNotice = `The service no longer returns single animals: pets get searches ${searchedLists}.`;
