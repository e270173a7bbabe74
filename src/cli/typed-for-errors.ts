import type { RawGlobals } from "../config/types.ts";
import type { Environment } from "../platform/io.ts";

/** What a failure's rendering needs to know of what was typed, also where it is wrong. */
export interface ErrorDisplay {
  readonly json: boolean;
  readonly verbose: boolean;
  /** False for `--no-color`. */
  readonly color: boolean;
}

const jsonFormats = new Set(["json", "ndjson"]);

/** How an error is to look, by options that may not have been checked yet. */
export function errorDisplayOptions(globals: RawGlobals, env: Environment): ErrorDisplay {
  const format = globals.json === true ? "json" : (globals.output ?? env.PETS_OUTPUT ?? "");
  return {
    json: jsonFormats.has(format),
    verbose: globals.verbose ?? false,
    color: globals.color ?? true,
  };
}
