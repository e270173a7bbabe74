import { type Example, files, oneOf, type OptionDefinition } from "../../core/command-line.ts";
import { planNames } from "../../core/enums.ts";
import { keyColumns, newKeyColumns } from "../../output/columns.ts";
import { asTyped } from "../arguments.ts";
import { defineCommand } from "../command.ts";

const dataOption = {
  flags: "--data <place>",
  description: "data file or postgres:// URL (default as for serve)",
  values: files,
} as const satisfies OptionDefinition;

/** What a list of the keys contains in the examples. */
const listed = /1f2e3d4c5b6a7988/;
const unlisted = /^(?![^]*1f2e3d4c5b6a7988)/;
const addPro: Example = {
  line: "key=$(pets keys add --plan pro --quiet)",
  stdout: /^key=pets_\w{32}$/,
};
const revokeInDatabase: Example = {
  line: "pets keys revoke 1f2e3d4c5b6a7988 --data postgres://pets@localhost/pets",
  afterwards: { "pets keys --data postgres://pets@localhost/pets": unlisted },
};

const keysList = defineCommand({
  name: "list",
  summary: "list key ids and plans (never the keys)",
  isDefault: true,
  options: [dataOption],
  columns: keyColumns,
  examples: [
    { line: "pets keys list", stdout: listed },
    {
      line: "pets keys list --data shop.db --json | jq -r '.[].plan'",
      stdout: /^free\nfree\n$/,
    },
  ],
  run: async (context, options) => (await load()).runKeysList(context, options),
});

const keysAdd = defineCommand({
  name: "add",
  summary: "create a key and print it once",
  options: [
    {
      flags: "--plan <plan>",
      description: "plan of the key: free, pro, business, enterprise or M/min,D/day (default free)",
      values: oneOf(planNames),
      parse: asTyped,
    },
    dataOption,
  ],
  columns: newKeyColumns,
  examples: [
    addPro,
    {
      line: "pets keys add --plan 120/min,5000/day --data shop.db",
      stdout: /pets_\w{32}/,
      afterwards: { "pets keys list --data shop.db --json": /120\/min,5000\/day/ },
    },
  ],
  run: async (context, options) => (await load()).runKeysAdd(context, options),
});

const keysRevoke = defineCommand({
  name: "revoke",
  summary: "revoke a key",
  arguments: [
    {
      syntax: "<id>",
      description: "id as `pets keys` prints it, or - for a key on standard input",
    },
  ],
  options: [dataOption],
  examples: [
    { line: "pets keys revoke 1f2e3d4c5b6a7988", afterwards: { "pets keys": unlisted } },
    { line: "pets keys revoke - < key.txt", stderr: /^Revoked key [0-9a-f]{16}\.$/m },
    revokeInDatabase,
  ],
  run: async (context, { id, ...options }) => (await load()).runKeysRevoke(context, id, options),
});

export const keys = defineCommand({
  name: "keys",
  summary: "list, create and revoke the API keys of a store",
  subcommands: [keysList, keysAdd, keysRevoke],
  columns: keyColumns,
  notes: [
    "Without a command it lists them. The store may be running: changes apply from the next request.",
  ],
  examples: [{ line: "pets keys", stdout: listed }, addPro, revokeInDatabase],
});

function load() {
  return import("../serve/run-serve.ts");
}
