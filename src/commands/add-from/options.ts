import type { InputFormat } from "../../imports/types.ts";
import { usageFailure } from "../../core/errors.ts";
import { inputFormats } from "../../core/enums.ts";
import { parseChoice } from "../../core/strings.ts";
import { parseCount } from "../arguments.ts";

/** The range and default of `--concurrency`. */
export const concurrency = { min: 1, max: 64, default: 8 } as const;

/** The flags as they were typed. */
export interface RawFromOptions {
  /** Every `--from` that was given. */
  readonly from?: readonly string[];
  readonly format?: string;
  /** Every `--map` that was given. */
  readonly map?: readonly string[];
  readonly concurrency?: string;
  readonly ignoreUnknown?: boolean;
  readonly retryUnknown?: boolean;
  readonly again?: boolean;
  readonly onlyNew?: boolean;
  readonly resume?: boolean;
  readonly checkUnknown?: boolean;
  readonly dryRun?: boolean;
  /** The flags of a single animal, which can't be given with `--from`. */
  readonly name?: string;
  readonly category?: string;
  readonly status?: string;
}

/** The flags of `pets add --from`, checked. */
export interface FromOptions {
  /** A path, or `-` for standard input. */
  readonly file: string;
  readonly format: InputFormat | undefined;
  /** As typed: COLUMN=FIELD. */
  readonly map: readonly string[];
  readonly concurrency: number;
  readonly ignoreUnknown: boolean;
  readonly retryUnknown: boolean;
  readonly again: boolean;
  /** Whether rows that other runs added are left out. */
  readonly onlyNew: boolean;
  /** Whether an unidentified store is assumed to be the one that the run was started with. */
  readonly resume: boolean;
  /** Whether rows in doubt are looked up, and nothing is sent. */
  readonly checkUnknown: boolean;
  readonly dryRun: boolean;
}

const ownFlags = {
  format: "--format",
  map: "--map",
  concurrency: "--concurrency",
  ignoreUnknown: "--ignore-unknown",
  retryUnknown: "--retry-unknown",
  again: "--again",
  onlyNew: "--only-new",
  resume: "--resume",
  checkUnknown: "--check-unknown",
} as const satisfies Partial<Record<keyof RawFromOptions, string>>;

const flagsOfOne = {
  name: "--name",
  category: "--category",
  status: "--status",
} as const satisfies Partial<Record<keyof RawFromOptions, string>>;

/**
 * Returns the flags of `pets add --from`; undefined if it was not given. `hasFields` means that `--fields`
 * was given. Throws a usage Failure for flags that can't be used together, or for an invalid value.
 */
export function readFromOptions(
  options: RawFromOptions,
  hasFields: boolean,
): FromOptions | undefined {
  const { from, format, ignoreUnknown = false, retryUnknown = false, again = false } = options;
  const { onlyNew = false, resume = false, checkUnknown = false } = options;
  if (from === undefined) {
    refuse(options, ownFlags, (flag) => `${flag} needs --from`);
    return undefined;
  }
  refuse(options, flagsOfOne, (flag) => `${flag} and --from can't be used together`);
  if (hasFields) throw usageFailure("--fields and --from can't be used together");
  if (again && (onlyNew || resume))
    throw usageFailure(`--again and ${onlyNew ? "--only-new" : "--resume"} can't be used together`);
  if (checkUnknown && (again || retryUnknown || options.dryRun))
    throw usageFailure(
      "--check-unknown can't be used with --again, --retry-unknown or --dry-run: it sends nothing",
    );
  const [file = "", ...more] = from;
  if (more.length > 0)
    throw usageFailure("--from can be given only once", "add one file after the other");
  if (file === "") throw usageFailure("--from must be a file, or - for standard input");
  return {
    file,
    format: format === undefined ? undefined : parseChoice(format, inputFormats, "--format"),
    map: options.map ?? [],
    concurrency:
      options.concurrency === undefined
        ? concurrency.default
        : parseCount(options.concurrency, "--concurrency", concurrency),
    ignoreUnknown,
    retryUnknown,
    again,
    onlyNew,
    resume,
    checkUnknown,
    dryRun: options.dryRun ?? false,
  };
}

function refuse<Name extends keyof RawFromOptions>(
  options: RawFromOptions,
  flags: Readonly<Record<Name, string>>,
  message: (flag: string) => string,
): void {
  for (const name in flags) {
    if (options[name] !== undefined)
      throw usageFailure(message(flags[name]), "see `pets add --help`");
  }
}
