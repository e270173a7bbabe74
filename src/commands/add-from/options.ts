import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import type { ReadOptions } from "../../imports/types.ts";
import { countWithin, fileParser, needing, parserOf, valueParser } from "../arguments.ts";
import { readingOptions } from "./reading-options.ts";

/** The options of `pets add`: what is read from a file, or one animal, and how it is sent. */
export interface AddOptions extends ReadOptions {
  readonly from?: string;
  readonly mapping?: string;
  readonly dryRun?: boolean;
  readonly skipInvalid?: boolean;
  readonly concurrency: number;
  /** The percentage of each limit that is left unused. */
  readonly reserve?: number;
  /** The least time between two rows, in ms. */
  readonly rate?: number;
  readonly results?: string;
  readonly retryUnknown?: boolean;
  readonly checkUnknown?: boolean;
  readonly again?: boolean;
  readonly onlyNew?: boolean;
}

/** What `pets add --from` gets. */
export type FromOptions = AddOptions & { readonly from: string };

const parseConcurrency = parserOf("--concurrency", countWithin({ min: 1, max: 64 }));

const parsePart = valueParser("--reserve", "a percentage from 0% to 90%", (text) => {
  const [, percent] = /^(90|[1-8]?\d)%?$/.exec(text) ?? [];
  return percent === undefined ? undefined : Number(percent);
});

const unitMs: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 60 * 60_000 };

const parseRate = valueParser("--rate", "rows per s, min or h, such as 60/min", (text) => {
  const [, count, unit = ""] = /^([1-9]\d{0,5})\/(s|min|h)$/.exec(text) ?? [];
  const ms = unitMs[unit];
  return ms === undefined ? undefined : ms / Number(count);
});

/** Adds the options of an import to `pets add`, the rare ones apart; all but `--from` need that. */
export function withImportOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  const others = command.options.length;
  const complete = withRareOptions(withUsualOptions(command));
  // All but `--from`, the first.
  const needy = complete.options.slice(others + 1).map((option) => option.attributeName());
  return needing(complete, "from", needy);
}

// In two steps, as the types of one would be too deep for the compiler.
const withUsualOptions = <Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) =>
  command
    .optionsGroup("Import options:")
    .option(
      "--from <file>",
      "add all animals in a file (- is standard input)",
      fileParser("--from"),
    )
    .addOption(readingOptions.map)
    .addOption(readingOptions.value)
    .addOption(readingOptions.key)
    .addOption(readingOptions.repeats)
    .option(
      "--mapping <file>",
      "read such options from a file, one per line",
      fileParser("--mapping"),
    )
    .addOption(readingOptions.ignoreFields)
    .option("--skip-invalid", "send the valid rows of a file that has invalid ones")
    .option(
      "--results <file>",
      "write each row with its outcome, id and error",
      fileParser("--results"),
    )
    .option("--only-new", "send only rows that no earlier file added")
    .addOption(
      new Option("--check-unknown", "look up rows with an unknown outcome, send nothing").conflicts(
        ["again", "retryUnknown", "dryRun"],
      ),
    )
    .option("--retry-unknown", "send rows with an unknown outcome again (may create duplicates)")
    .addOption(
      new Option("--again", "send a finished file again (creates duplicates)").conflicts("onlyNew"),
    );

const withRareOptions = <Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) =>
  command
    .optionsGroup("Rare import options:")
    .addOption(readingOptions.format)
    .addOption(readingOptions.sheet)
    .addOption(readingOptions.encoding)
    .addOption(readingOptions.header)
    .addOption(readingOptions.skipLines)
    .addOption(readingOptions.items)
    .option("--rate <n/unit>", "send no faster, evenly: 5/s, 60/min or 100/h", parseRate)
    .option(
      "--reserve <percent>",
      "part of each rate limit to leave unused, such as 20%",
      parsePart,
    )
    .option("--concurrency <n>", "requests in flight, 1 to 64", parseConcurrency, 8);
