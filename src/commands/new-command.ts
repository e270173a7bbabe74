import { Command, type HelpConfiguration } from "@commander-js/extra-typings";

type Help = HelpConfiguration & { readonly examples: readonly string[] };

/** Returns a command with what the help of each one needs. */
export const newCommand = (name: string, summary: string, help: Help) =>
  new Command(name).summary(summary).configureHelp(help);
