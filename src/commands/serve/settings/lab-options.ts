import { readFileSync, statSync } from "node:fs";
import { orIoFailure, usageFailure } from "../../../core/errors.ts";
import {
  faultSyntax,
  latencySyntax,
  parseFaults,
  parseLatency,
} from "../../../server/lab/fault-spec.ts";
import type { LabSettings } from "../../../server/lab/lab.ts";
import { InvalidInput } from "../../../server/lab/read-input.ts";
import { parseScript, type ScriptStep } from "../../../server/lab/script.ts";
import { isDatabaseUrl } from "../../../server/storage/open.ts";
import { parsed, parserOf } from "../../arguments.ts";
import { firstTyped, type ServeOptions } from "./options.ts";

const forLab = new Set(["lab", "latency", "fault", "faultSeed", "script", "clock", "ban", "cors"]);

/**
 * Returns the settings of fault injection, or undefined if it is off. It is on with `--lab`, and
 * implied by memory and by a command, but never with PostgreSQL, which others may use. Throws a usage
 * Failure.
 */
export function readFaultOptions(
  options: ServeOptions,
  hasCommand: boolean,
): Pick<LabSettings, "shares" | "latency" | "faultSeed"> | undefined {
  const { data, memory, latency = "0", fault, faultSeed = 1 } = options;
  const isShared = data !== undefined && isDatabaseUrl(data);
  const flag = firstTyped(options, (name) => forLab.has(name));
  if (isShared && flag !== undefined)
    throw usageFailure(
      `${flag} cannot be used with PostgreSQL: other stores may use the same data`,
    );
  const isEnabled = !isShared && (options.lab === true || memory === true || hasCommand);
  if (!isEnabled && flag !== undefined)
    throw usageFailure(`${flag} needs --lab`, "--memory and a command after -- imply it");
  if (!isEnabled) return undefined;
  return {
    latency: parsed("--latency", latency, parserOf(latencySyntax, parseLatency)),
    shares:
      fault === undefined ? new Map() : parsed("--fault", fault, parserOf(faultSyntax, parseSome)),
    faultSeed,
  };
}

function parseSome(text: string): ReturnType<typeof parseFaults> {
  return text === "" ? undefined : parseFaults(text);
}

/** The maximum size of a script, in bytes. */
const maxScriptBytes = 1_048_576;

/** Returns the text of a script. Throws an io Failure if it cannot be read, and a usage Failure if it is too large. */
export function readScriptText(file: string, maxBytes = maxScriptBytes): string {
  return orIoFailure(`cannot read the script ${file}`, () => {
    if (statSync(file).size <= maxBytes) return readFileSync(file, "utf8");
    throw usageFailure(`the script ${file} is larger than ${maxBytes / 1024} KiB`);
  });
}

/**
 * Returns the steps in the file of `--script`. Throws an io Failure if it cannot be read, and a usage
 * Failure that names the line if it makes no sense.
 */
export function readScriptFile(file: string): readonly ScriptStep[] {
  try {
    return parseScript(readScriptText(file));
  } catch (error) {
    if (error instanceof InvalidInput) throw usageFailure(`the script ${file}: ${error.message}`);
    throw error;
  }
}
