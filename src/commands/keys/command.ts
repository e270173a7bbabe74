import type { CommandDefinition } from "../command.ts";
import type { Context } from "../context.ts";
import type { KeysOptions } from "./run.ts";

const dataOption = [
  "--data <place>",
  "a data file, or a postgres:// URL (default that of serve)",
] as const;

export const keys: CommandDefinition = {
  name: "keys",
  summary: "list, make and revoke the keys of a store, on its data",
  configure(command, action) {
    const add = (name: string, summary: string, options = {}) =>
      command.command(name, options).summary(summary);
    add("list", "list the keys, never themselves", { isDefault: true })
      .option(...dataOption)
      .action(action(listKeys));
    add("add", "make a key, and show it this once")
      .option("--plan <plan>", "free (default), pro, business, enterprise or M/min,D/day")
      .option(...dataOption)
      .action(action(addKey));
    add("revoke", "make a key invalid")
      .argument("<id>", "as the list shows it")
      .option(...dataOption)
      .action(action(revokeKey));
  },
};

async function listKeys(context: Context, options: KeysOptions): Promise<void> {
  const run = await import("../serve/run.ts");
  await run.runKeysList(context, options);
}

async function addKey(context: Context, options: KeysOptions): Promise<void> {
  const run = await import("../serve/run.ts");
  await run.runKeysAdd(context, options);
}

async function revokeKey(context: Context, id: string, options: KeysOptions): Promise<void> {
  const run = await import("../serve/run.ts");
  await run.runKeysRevoke(context, id, options);
}
