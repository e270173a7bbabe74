import { usageFailure } from "../../core/errors.ts";
import { parseChoice } from "../../core/strings.ts";
import type { OutputFormat } from "./format.ts";

/** The formats of `--output`, in the order of the help. */
const formats = {
  table: { kind: "table", load: async () => (await import("./table.ts")).tableWriter },
  json: { kind: "json", load: async () => (await import("./json.ts")).jsonWriter },
  ndjson: { kind: "json", load: async () => (await import("./ndjson.ts")).ndjsonWriter },
  csv: { kind: "flat", load: async () => (await import("./csv.ts")).csvWriter },
  tsv: { kind: "flat", load: async () => (await import("./tsv.ts")).tsvWriter },
} as const satisfies Readonly<Record<string, OutputFormat>>;

export type OutputFormatName = keyof typeof formats;

export const outputFormats: Readonly<Record<OutputFormatName, OutputFormat>> = formats;

/** The names of the formats. */
export const outputFormatNames = Object.keys(formats).filter(isFormatName);

function isFormatName(name: string): name is OutputFormatName {
  return Object.hasOwn(formats, name);
}

/** The format of a command's output. */
export interface OutputSettings {
  readonly format: OutputFormatName;
  /** Whether a flag or the environment asked for it. */
  readonly formatAsked: boolean;
}

/** Returns whether output is a table for people, with times of their zone and notes. */
export function isTable({ format }: Pick<OutputSettings, "format">): boolean {
  return outputFormats[format].kind === "table";
}

/** Returns whether output is JSON values, which may hold whole objects. */
export function isJson({ format }: Pick<OutputSettings, "format">): boolean {
  return outputFormats[format].kind === "json";
}

/** What was typed about the format. */
interface TypedFormat {
  readonly output?: string;
  readonly json?: boolean;
}

/**
 * Returns the format that `--output` or `--json`, else PETS_OUTPUT asks for, else a table. Throws a usage
 * Failure that names the flag or variable.
 */
export function chooseFormat(
  { output, json }: TypedFormat,
  { PETS_OUTPUT }: Readonly<Record<string, string | undefined>>,
): OutputSettings {
  if (json && output !== undefined && output !== "json")
    throw usageFailure(`--json and --output ${JSON.stringify(output)} cannot be used together`);
  if (json) return { format: "json", formatAsked: true };
  if (output !== undefined) return asked(output, "--output");
  return PETS_OUTPUT ? asked(PETS_OUTPUT, "PETS_OUTPUT") : { format: "table", formatAsked: false };
}

function asked(text: string, name: string): OutputSettings {
  return { format: parseChoice(text, outputFormatNames, name), formatAsked: true };
}

/** Returns whether errors are JSON, by options that may be wrong (`help output`). */
export function hasJsonErrors({ output, json }: TypedFormat, fromEnvironment = ""): boolean {
  const name = json ? "json" : (output ?? fromEnvironment);
  return isFormatName(name) && formats[name].kind === "json";
}
