import { files, oneOf } from "../../completion/values.ts";
import { usageFailure } from "../../core/errors.ts";
import { inputFormats } from "../../core/enums.ts";
import { parseCount } from "../arguments.ts";
import type { InputOf, OptionDefinition } from "../command.ts";

const concurrency = { min: 1, max: 64 } as const;

/** The options of `pets add` that say what is read from a file, and what is sent. */
export const importOptions = [
  {
    flags: "--from <file>",
    description: "add all animals in a file, or in standard input with -",
    values: files,
    parse: parseFile,
    once: true,
    excludes: ["--name", "--category", "--status"],
  },
  {
    flags: "--format <format>",
    description: `input format: ${inputFormats.join(", ")} (default: by extension or content)`,
    values: oneOf(inputFormats),
    needs: "--from",
  },
  {
    flags: "--map <column=field>",
    description: "use a column of another name for a field; may be repeated",
    repeats: true,
    needs: "--from",
  },
  {
    flags: "--concurrency <n>",
    description: `requests in flight, ${concurrency.min} to ${concurrency.max} (default 8)`,
    default: "8",
    parse: (text: string, name: string) => parseCount(text, name, concurrency),
    needs: "--from",
  },
  {
    flags: "--ignore-unknown",
    description: "ignore fields that an animal does not have",
    needs: "--from",
  },
  {
    flags: "--retry-unknown",
    description: "send rows with an unknown outcome again (may create duplicates)",
    needs: "--from",
  },
  {
    flags: "--check-unknown",
    description: "look up rows with an unknown outcome, send nothing",
    needs: "--from",
    excludes: ["--again", "--retry-unknown", "--dry-run"],
  },
  {
    flags: "--again",
    description: "send a finished file again (creates duplicates)",
    needs: "--from",
    excludes: ["--only-new", "--resume"],
  },
  {
    flags: "--only-new",
    description: "send only rows that no earlier file added",
    needs: "--from",
  },
  {
    flags: "--resume",
    description: "continue a run although the store can't be identified",
    needs: "--from",
  },
] as const satisfies readonly OptionDefinition[];

export type ImportOptions = InputOf<typeof importOptions>;

/** What `pets add --from` gets. */
export type FromOptions = ImportOptions & {
  /** A path, or `-` for standard input. */
  readonly from: string;
  readonly dryRun: boolean;
};

/** Returns the path that `text` is, or `-`. Throws a usage Failure if it is empty. */
function parseFile(text: string, name: string): string {
  if (text !== "") return text;
  throw usageFailure(`${name} must be a file, or - for standard input`);
}
