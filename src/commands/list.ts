import { Option } from "@commander-js/extra-typings";
import { pageSize } from "../core/api.ts";
import { petStatuses } from "../core/enums.ts";
import { statusSyntax } from "../core/pet-fields.ts";
import { petColumns } from "../output/columns.ts";
import { parseLimit, parserOf } from "./arguments.ts";
import type { Context } from "./context.ts";
import { newCommand } from "./new-command.ts";

export const list = (getContext: () => Context) =>
  newCommand("list", "list animals", {
    columns: petColumns,
    examples: [
      "pets list --status available",
      "pets ls --fields name --limit 1",
      "pets list --limit 100 --json | jq length",
      "pets list -o csv --fields name,id > animals.csv",
    ],
  })
    .alias("ls")
    .addOption(
      new Option("--status <status>", "list only animals with this status")
        .choices(petStatuses)
        .argParser(parserOf("--status", statusSyntax)),
    )
    .option(
      "--limit <n>",
      `list at most this many, ${pageSize.min} to ${pageSize.max} (default: ${pageSize.default})`,
      parseLimit,
    )
    .action(async ({ status, limit }) => {
      const { service, print, note } = getContext();
      const api = await service.api();
      const pets = await api.list({ status, limit });
      await print(pets, { none: `No animals${status ? ` with status ${status}` : ""}.` });
      const more = moreNote(pets.length, limit, status);
      if (more !== undefined) await note(more);
    });

/** Returns what is said of a list that may not be whole. */
function moreNote(count: number, limit?: number, status?: string): string | undefined {
  const narrow = status ? "" : " Narrow with `--status`.";
  if (count >= pageSize.max)
    return `Showing ${count} animals, the most the service lists; there may be more.${narrow}`;
  return limit === undefined && count >= pageSize.default
    ? `Showing ${count} animals; there may be more. See up to 100 with \`--limit 100\`.`
    : undefined;
}
