import type { FromOptions } from "../../../src/commands/add-from/options.ts";

/** Returns what `pets add --from new.csv` gets when nothing else is typed, with `changes`. */
export function importInput(changes: Partial<FromOptions> = {}): FromOptions {
  return {
    from: "new.csv",
    map: [],
    value: [],
    header: true,
    skipInvalid: false,
    concurrency: 8,
    ignoreFields: false,
    retryUnknown: false,
    checkUnknown: false,
    again: false,
    onlyNew: false,
    dryRun: false,
    ...changes,
  };
}
