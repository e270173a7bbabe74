import { Option } from "@commander-js/extra-typings";
import { planNames } from "../../core/enums.ts";
import { keyColumns, newKeyColumns } from "../../output/columns.ts";
import type { Context } from "../context.ts";
import { newCommand } from "../new-command.ts";

const dataOption = () =>
  new Option("--data <file>", "data file or postgres:// URL (default: as for serve)");

const load = () => import("./run-keys.ts");

const list = (getContext: () => Context) =>
  newCommand("list", "list key ids and plans (never the keys)", {
    columns: keyColumns,
    examples: ["pets keys list", "pets keys list --data shop.db --json | jq -r '.[].plan'"],
  })
    .addOption(dataOption())
    .action(async ({ data }) => (await load()).runKeysList(getContext(), data));

const add = (getContext: () => Context) =>
  newCommand("add", "create a key and print it once", {
    columns: newKeyColumns,
    examples: [
      "key=$(pets keys add --plan pro --quiet)",
      "pets keys add --plan 120/min,5000/day --data shop.db",
    ],
  })
    .option(
      "--plan <plan>",
      `plan of the key: ${planNames.join(", ")}, or such as 60/min,1000/day (default: free)`,
    )
    .addOption(dataOption())
    .action(async ({ plan, data }) => (await load()).runKeysAdd(getContext(), plan, data));

const revoke = (getContext: () => Context) =>
  newCommand("revoke", "revoke a key", {
    examples: [
      "pets keys revoke 1f2e3d4c5b6a7988",
      "pets keys revoke - < key.txt",
      "pets keys revoke 1f2e3d4c5b6a7988 --data postgres://pets@localhost/pets",
    ],
  })
    .argument("<id>", "id as `pets keys` prints it, or - for a key on standard input")
    .addOption(dataOption())
    .action(async (id, { data }) => (await load()).runKeysRevoke(getContext(), id, data));

export const keys = (getContext: () => Context) =>
  newCommand("keys", "list, create and revoke the API keys of a local store", {
    columns: keyColumns,
    examples: [
      "pets keys",
      "key=$(pets keys add --plan pro --quiet)",
      "pets keys revoke 1f2e3d4c5b6a7988 --data postgres://pets@localhost/pets",
    ],
    notes:
      "Without a command it lists them. The store may be running: changes apply from the next request.",
  })
    .addCommand(list(getContext), { isDefault: true })
    .addCommand(add(getContext))
    .addCommand(revoke(getContext));
