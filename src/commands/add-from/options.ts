import { files, oneOf, type OptionDefinition } from "../../core/command-line.ts";
import { inputFormats } from "../../core/enums.ts";
import type { PetStatus } from "../../core/pet-fields.ts";
import { countWithin, parseFileName, parserOf } from "../arguments.ts";
import type { InputOf } from "../command.ts";

const group = "Import options";

/** Returns an option that is only for `--from`. */
function option<const Flags extends string, const More extends object = object>(
  flags: Flags,
  description: string,
  more?: More,
): { flags: Flags; description: string; group: string; needs: "--from" } & More {
  const needs = "--from";
  return Object.assign({ flags, description, group, needs } as const, more);
}

const parseReserve = parserOf("a percentage from 0% to 90%", (text) => {
  const [, percent] = /^(90|[1-8]?\d)%?$/.exec(text) ?? [];
  return percent === undefined ? undefined : Number(percent);
});

const unitMs: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 60 * 60_000 };

/** Returns the least time between two rows, in ms. */
const parseRate = parserOf("rows per s, min or h, such as 60/min", (text) => {
  const [, count, unit = ""] = /^([1-9]\d{0,5})\/(s|min|h)$/.exec(text) ?? [];
  const ms = unitMs[unit];
  return ms === undefined ? undefined : ms / Number(count);
});

const parseEncoding = parserOf("an encoding such as latin1, utf-16le or shift_jis", (text) => {
  try {
    return new TextDecoder(text).encoding;
  } catch {
    return undefined;
  }
});

/** The options of `pets add` that say what is read from a file, and what is sent. */
export const importOptions = [
  {
    flags: "--from <file>",
    group,
    description: "add all animals in a file, or in standard input with -",
    values: files,
    parse: parseFileName,
    once: true,
  },
  option(
    "--format <format>",
    `input format: ${inputFormats.join(", ")} (default: by extension or content)`,
    { values: oneOf(inputFormats) },
  ),
  option("--map <column=field>", "read a field from this column or JSON path; repeatable", {
    repeats: true,
  }),
  option(
    "--value <field:text=value>",
    "replace a text, such as category:Dog=1; * is any other; repeatable",
    { repeats: true },
  ),
  option("--ignore-fields", "ignore columns and keys that an animal does not have"),
  option("--skip-invalid", "send the valid rows of a file that has invalid ones"),
  option("--no-header", "read the first row as data; columns are #1, #2, …"),
  option("--skip-lines <n>", "skip lines before the header", {
    parse: countWithin({ min: 1, max: 1_000_000 }),
  }),
  option("--items <path>", "where the array is in a JSON object, such as data.animals"),
  option("--encoding <label>", "encoding of the file, such as latin1 (default utf-8)", {
    parse: parseEncoding,
  }),
  option("--concurrency <n>", "requests in flight, 1 to 64 (default 8)", {
    default: "8",
    parse: countWithin({ min: 1, max: 64 }),
  }),
  option("--reserve <percent>", "part of each rate limit to leave unused, such as 20%", {
    parse: parseReserve,
  }),
  option("--rate <n/unit>", "send no faster, evenly: 5/s, 60/min or 100/h", { parse: parseRate }),
  option("--results <file>", "write each row with its outcome, id and error to a file", {
    values: files,
  }),
  option("--retry-unknown", "send rows with an unknown outcome again (may create duplicates)"),
  option("--check-unknown", "look up rows with an unknown outcome, send nothing", {
    excludes: ["--again", "--retry-unknown", "--dry-run"],
  }),
  option("--again", "send a finished file again (creates duplicates)", {
    excludes: ["--only-new"],
  }),
  option("--only-new", "send only rows that no earlier file added"),
] as const satisfies readonly OptionDefinition[];

export type ImportOptions = InputOf<typeof importOptions>;

/** What `pets add --from` gets. */
export interface FromOptions extends Omit<ImportOptions, "from"> {
  /** A path, or `-` for standard input. */
  readonly from: string;
  readonly dryRun: boolean;
  /** What rows have that say nothing else. */
  readonly name?: string;
  readonly category?: bigint;
  readonly status?: PetStatus;
}
