import { type ListQuery } from "../client/types.ts";
import { pageSize } from "../core/api.ts";
import { oneOf } from "../core/command-line.ts";
import { petStatuses } from "../core/enums.ts";
import { petColumns } from "../output/columns.ts";
import { isTable } from "../output/formats/index.ts";
import { parseLimit } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";
import { openPrinter } from "./print.ts";

export const list = defineCommand({
  name: "list",
  aliases: ["ls"],
  summary: "list animals",
  options: [
    {
      flags: "--status <status>",
      description: `list only animals with this status: ${petStatuses.join(", ")}`,
      values: oneOf(petStatuses),
    },
    {
      flags: "--limit <n>",
      description: `list at most this many, ${pageSize.min} to ${pageSize.max} (default 20)`,
      parse: parseLimit,
    },
  ],
  columns: petColumns,
  examples: [
    {
      line: "pets list --status available",
      stdout: /^ID +NAME +CATEGORY +STATUS\n(?:.+\n){4}$/,
    },
    { line: "pets ls --fields name --limit 1", stdout: /^NAME\nPet 12\n$/ },
    { line: "pets list --limit 100 --json | jq length", stdout: /^12\n$/ },
    {
      line: "pets list -o csv --fields name,id > animals.csv",
      files: { "animals.csv": /^name,id\r\nPet 12,12\r\n/ },
    },
  ],
  run: runList,
});

/** Lists animals (`GET /pets`), and notes when there may be more. */
async function runList(context: Context, query: ListQuery): Promise<void> {
  const printer = await openPrinter(context, petColumns);
  const api = await context.api();
  const pets = await api.list(query);
  await printer.print(pets);
  if (pets.length === 0) await noteNone(context, query);
  else await noteMore(context, query, pets.length);
}

async function noteNone(context: Context, { status }: ListQuery): Promise<void> {
  if (!isTable(context.settings)) return;
  await context.note(status === undefined ? "No animals." : `No animals with status ${status}.`);
}

/** Notes that there may be more (`help output`). */
async function noteMore(context: Context, { limit, status }: ListQuery, count: number) {
  if (count >= pageSize.max) {
    const narrower = status === undefined ? " Narrow with --status." : "";
    await context.note(
      `Showing the newest ${count} animals, the most the service lists; there may be more.${narrower}`,
    );
  } else if (limit === undefined && count >= pageSize.default)
    await context.note(
      `Showing the newest ${count} animals; there may be more. See up to ${pageSize.max} with \`--limit ${pageSize.max}\`.`,
    );
}
