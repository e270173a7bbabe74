import { files, oneOf, type OptionDefinition } from "../../core/command-line.ts";
import { usageFailure } from "../../core/errors.ts";
import { inputFormats } from "../../core/enums.ts";
import type { PetStatus } from "../../core/pet-fields.ts";
import { parseCount } from "../arguments.ts";
import type { InputOf } from "../command.ts";

const concurrency = { min: 1, max: 64 } as const;
const skippedLines = { min: 1, max: 1_000_000 } as const;

const group = "Import options";

/** An option that is only for `--from`. */
const beside = { group, needs: "--from" } as const;

/** The options of `pets add` that say what is read from a file, and what is sent. */
export const importOptions = [
  {
    flags: "--from <file>",
    group,
    description: "add all animals in a file, or in standard input with -",
    values: files,
    parse: parseFile,
    once: true,
  },
  {
    ...beside,
    flags: "--format <format>",
    description: `input format: ${inputFormats.join(", ")} (default: by extension or content)`,
    values: oneOf(inputFormats),
  },
  {
    ...beside,
    flags: "--map <column=field>",
    description: "read a field from this column or JSON path; repeatable",
    repeats: true,
  },
  {
    ...beside,
    flags: "--value <field:text=value>",
    description: "replace a text, such as category:Dog=1; * is any other; repeatable",
    repeats: true,
  },
  {
    ...beside,
    flags: "--ignore-fields",
    description: "ignore columns and keys that an animal does not have",
    formerly: "--ignore-unknown",
  },
  {
    ...beside,
    flags: "--skip-invalid",
    description: "send the valid rows of a file that has invalid ones",
  },
  {
    ...beside,
    flags: "--no-header",
    description: "read the first row as data; columns are #1, #2, …",
  },
  {
    ...beside,
    flags: "--skip-lines <n>",
    description: "skip lines before the header",
    parse: (text: string, name: string) => parseCount(text, name, skippedLines),
  },
  {
    ...beside,
    flags: "--items <path>",
    description: "where the array is in a JSON object, such as data.animals",
  },
  {
    ...beside,
    flags: "--encoding <label>",
    description: "encoding of the file, such as latin1 (default utf-8)",
    parse: parseEncoding,
  },
  {
    ...beside,
    flags: "--concurrency <n>",
    description: `requests in flight, ${concurrency.min} to ${concurrency.max} (default 8)`,
    default: "8",
    parse: (text: string, name: string) => parseCount(text, name, concurrency),
  },
  {
    ...beside,
    flags: "--reserve <percent>",
    description: "part of each rate limit to leave unused, such as 20%",
    parse: parseReserve,
  },
  {
    ...beside,
    flags: "--rate <n/unit>",
    description: "send no faster, evenly: 5/s, 60/min or 100/h",
    parse: parseRate,
  },
  {
    ...beside,
    flags: "--results <file>",
    description: "write each row with its outcome, id and error to a file",
    values: files,
  },
  {
    ...beside,
    flags: "--retry-unknown",
    description: "send rows with an unknown outcome again (may create duplicates)",
  },
  {
    ...beside,
    flags: "--check-unknown",
    description: "look up rows with an unknown outcome, send nothing",
    excludes: ["--again", "--retry-unknown", "--dry-run"],
  },
  {
    ...beside,
    flags: "--again",
    description: "send a finished file again (creates duplicates)",
    excludes: ["--only-new", "--resume"],
  },
  {
    ...beside,
    flags: "--only-new",
    description: "send only rows that no earlier file added",
  },
  {
    ...beside,
    flags: "--add-changed",
    description: "send new rows, and those of which only the status is new",
    excludes: ["--again"],
  },
  {
    ...beside,
    flags: "--resume",
    description: "continue a run even if the store cannot be identified",
  },
] as const satisfies readonly OptionDefinition[];

export type ImportOptions = InputOf<typeof importOptions>;

/** What `pets add --from` gets. */
export type FromOptions = ImportOptions & {
  /** A path, or `-` for standard input. */
  readonly from: string;
  readonly dryRun: boolean;
  /** What rows have that say nothing else. */
  readonly name?: string;
  readonly category?: bigint;
  readonly status?: PetStatus;
};

/** Returns the path that `text` is, or `-`. Throws a usage Failure if it is empty. */
function parseFile(text: string, name: string): string {
  if (text !== "") return text;
  throw usageFailure(`${name} must be a file, or - for standard input`);
}

const maxReserve = 90;

/** Returns the percentage that `text` is. Throws a usage Failure. */
function parseReserve(text: string, name: string): number {
  const percent = /^(0|[1-9]\d?)%?$/.exec(text)?.[1];
  if (percent !== undefined && Number(percent) <= maxReserve) return Number(percent);
  throw usageFailure(
    `${name} must be a percentage from 0% to ${maxReserve}%, not ${JSON.stringify(text)}`,
  );
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 60 * 60_000 };

/** Returns the least time between two rows at the rate `text`, in ms. Throws a usage Failure. */
function parseRate(text: string, name: string): number {
  const [, count, unit = ""] = /^([1-9]\d{0,5})\/(s|min|h)$/.exec(text) ?? [];
  const ms = unitMs[unit];
  if (ms !== undefined) return ms / Number(count);
  throw usageFailure(
    `${name} must be rows per s, min or h, such as 60/min, not ${JSON.stringify(text)}`,
  );
}

/** Returns a label that TextDecoder knows. Throws a usage Failure. */
function parseEncoding(text: string, name: string): string {
  try {
    return new TextDecoder(text).encoding;
  } catch {
    throw usageFailure(
      `${name} must be an encoding such as latin1, utf-16le or shift_jis, not ${JSON.stringify(text)}`,
    );
  }
}
