import { readFileSync, statSync } from "node:fs";
import { errorMessage, ioFailure, usageFailure } from "../../core/errors.ts";
import { parseScript, type ScriptStep } from "../../server/lab/script/parse-script.ts";
import { ScriptError } from "../../server/lab/script/script-error.ts";

/** The maximum size of a script, in bytes. */
const maxBytes = 1_048_576;

/**
 * Returns the steps in the file of `--script`. Throws an io Failure if it cannot be read, and a usage
 * Failure that names the line if it makes no sense.
 */
export function readScriptFile(file: string): readonly ScriptStep[] {
  const text = readText(file);
  try {
    return parseScript(text);
  } catch (error) {
    if (error instanceof ScriptError) throw usageFailure(`the script ${file}: ${error.message}`);
    throw error;
  }
}

function readText(file: string): string {
  try {
    if (statSync(file).size <= maxBytes) return readFileSync(file, "utf8");
  } catch (error) {
    throw ioFailure(`cannot read the script ${file}: ${errorMessage(error)}`, error);
  }
  throw usageFailure(`the script ${file} is larger than 1 MiB`);
}
