import { Command, Option } from "@commander-js/extra-typings";
import { planNames } from "../../core/enums.ts";
import { keyColumns, newKeyColumns } from "../../output/columns.ts";
import { action, loading } from "../action.ts";

const data = () =>
  new Option("--data <file>", "data file or postgres:// URL (default: as for serve)");

const load = () => import("../serve/run-serve.ts");

const list = () =>
  new Command("list")
    .summary("list key ids and plans (never the keys)")
    .addOption(data())
    .configureHelp({
      columns: keyColumns,
      examples: ["pets keys list", "pets keys list --data shop.db --json | jq -r '.[].plan'"],
    })
    .action(action(loading(load, (module) => module.runKeysList)));

const add = () =>
  new Command("add")
    .summary("create a key and print it once")
    .option(
      "--plan <plan>",
      `plan of the key: ${planNames.join(", ")}, or such as 60/min,1000/day (default: free)`,
    )
    .addOption(data())
    .configureHelp({
      columns: newKeyColumns,
      examples: [
        "key=$(pets keys add --plan pro --quiet)",
        "pets keys add --plan 120/min,5000/day --data shop.db",
      ],
    })
    .action(action(loading(load, (module) => module.runKeysAdd)));

const revoke = () =>
  new Command("revoke")
    .summary("revoke a key")
    .argument("<id>", "id as `pets keys` prints it, or - for a key on standard input")
    .addOption(data())
    .configureHelp({
      examples: [
        "pets keys revoke 1f2e3d4c5b6a7988",
        "pets keys revoke - < key.txt",
        "pets keys revoke 1f2e3d4c5b6a7988 --data postgres://pets@localhost/pets",
      ],
    })
    .action(action(loading(load, (module) => module.runKeysRevoke)));

export const keys = () =>
  new Command("keys")
    .summary("list, create and revoke the API keys of a local store")
    .addCommand(list(), { isDefault: true })
    .addCommand(add())
    .addCommand(revoke())
    .configureHelp({
      columns: keyColumns,
      examples: [
        "pets keys",
        "key=$(pets keys add --plan pro --quiet)",
        "pets keys revoke 1f2e3d4c5b6a7988 --data postgres://pets@localhost/pets",
      ],
    })
    .addHelpText(
      "after",
      `
Without a command it lists them. The store may be running: changes apply from the next request.`,
    );
