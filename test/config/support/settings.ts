import type { CommandSettings } from "../../../src/commands/context.ts";

/** Returns the settings of a command line without options in an empty environment, with `changes`. */
export function settingsWith(changes: Partial<CommandSettings> = {}): CommandSettings {
  return {
    profile: undefined,
    baseUrl: undefined,
    apiKey: undefined,
    format: "table",
    formatAsked: false,
    fields: undefined,
    quiet: false,
    verbose: false,
    color: true,
    timeoutMs: 30_000,
    maxWaitMs: 75_000,
    allowHttp: false,
    limiter: undefined,
    limiterRequired: false,
    ...changes,
  };
}
