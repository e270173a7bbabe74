import { Command, Option } from "@commander-js/extra-typings";
import type { ListQuery } from "../client/types.ts";
import { pageSize } from "../core/api.ts";
import { petStatuses } from "../core/enums.ts";
import { petColumns } from "../output/columns.ts";
import { isTable } from "../output/formats/index.ts";
import { action } from "./action.ts";
import { parseLimit, parseStatus } from "./arguments.ts";
import type { Context } from "./context.ts";

export const list = () =>
  new Command("list")
    .alias("ls")
    .summary("list animals")
    .addOption(
      new Option("--status <status>", "list only animals with this status")
        .choices(petStatuses)
        .argParser(parseStatus),
    )
    .option(
      "--limit <n>",
      `list at most this many, ${pageSize.min} to ${pageSize.max} (default: ${pageSize.default})`,
      parseLimit,
    )
    .configureHelp({
      columns: petColumns,
      examples: [
        "pets list --status available",
        "pets ls --fields name --limit 1",
        "pets list --limit 100 --json | jq length",
        "pets list -o csv --fields name,id > animals.csv",
      ],
    })
    .action(action(runList));

async function runList(context: Context, query: ListQuery): Promise<void> {
  const api = await context.service.api();
  const pets = await api.list(query);
  await context.print(pets, petColumns);
  if (pets.length > 0) await noteMore(context, query, pets.length);
  else if (isTable(context.settings))
    await context.note(`No animals${query.status ? ` with status ${query.status}` : ""}.`);
}

async function noteMore({ note }: Context, { limit, status }: ListQuery, count: number) {
  const narrow = status ? "" : " Narrow with `--status`.";
  if (count >= pageSize.max)
    await note(`Showing ${count} animals, the most the service lists; there may be more.${narrow}`);
  else if (limit === undefined && count >= pageSize.default)
    await note(`Showing ${count} animals; there may be more. See up to 100 with \`--limit 100\`.`);
}
