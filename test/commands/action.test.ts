import { Command } from "@commander-js/extra-typings";
import { expect, it } from "vitest";
import { action, loading, requestOf } from "../../src/commands/action.ts";
import type { Context } from "../../src/commands/context.ts";
import { addGlobalOptions } from "../../src/config/settings.ts";

const context = {} as Context;

/** Returns what a command gets of these words: arguments, then its own options. */
async function got(...words: string[]): Promise<unknown> {
  let read: readonly unknown[] = [];
  const run = async (
    _context: Context,
    ...input: [string, { file?: string; profile?: boolean }]
  ) => {
    read = input;
    return 3;
  };
  const command = new Command("serve")
    .argument("<name>")
    .option("--file <file>")
    .option("--no-profile")
    .action(
      action(
        loading(
          async () => ({ run }),
          (module) => module.run,
        ),
      ),
    );
  const root = new Command("pets").addCommand(command);
  addGlobalOptions(root);
  root.parse(words, { from: "user" });
  const request = requestOf(root);
  expect(request).toMatchObject({ command, ignoresEnvironment: false });
  expect(read).toEqual([]);
  expect(await request?.run(context)).toBe(3);
  return read;
}

it.each<[string[], object]>([
  [["--json", "--timeout", "1s"], { profile: true }],
  [["--file", "x", "--profile", "a"], { file: "x", profile: true }],
  [["--no-profile"], { profile: false }],
])("with %j a command gets its own options alone, once it runs", async (words, options) => {
  expect(await got("serve", "Rex", ...words)).toEqual(["Rex", options]);
});

it("without a command nothing is requested", () => {
  expect(requestOf(new Command("pets"))).toBeUndefined();
});
