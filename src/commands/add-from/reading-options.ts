import { Option } from "@commander-js/extra-typings";
import { inputFormats, petStatuses } from "../../core/enums.ts";
import { usageFailure } from "../../core/errors.ts";
import { idSyntax, statusSyntax } from "../../core/pet-fields.ts";
import { isPlaceholder } from "../../core/strings.ts";
import { oneOf } from "../../core/syntax.ts";
import type { Flags, ReadOptions } from "../../imports/types.ts";
import { collected, countWithin, parseName, parserOf, valueParser } from "../arguments.ts";

const texts = collected(String);

const parseKey = valueParser("--key", "a column or a JSON path", (text) =>
  text.trim() === "" || isPlaceholder(text) ? undefined : text,
);

const encodings = "an encoding such as latin1, utf-16le or shift_jis";
const parseEncoding = valueParser("--encoding", encodings, (text) => {
  try {
    return new TextDecoder(text).encoding;
  } catch {
    return undefined;
  }
});

const repeats = ["first", "last"] as const;

/**
 * The options that say how a file is read: they are typed, are what a mapping has and what the guide answers, and belong
 * to what an import is of.
 */
export const readingOptions = {
  map: new Option(
    "--map <column=field>",
    "read a field from this column or JSON path; repeatable",
  ).argParser(texts),
  value: new Option(
    "--value <field:text=value>",
    "replace a text (TEXT* begins so, * is any other); repeatable",
  ).argParser(texts),
  key: new Option("--key <column>", "column or JSON path that identifies an animal").argParser(
    parseKey,
  ),
  repeats: new Option("--repeats <row>", "which of the rows with one key counts")
    .choices(repeats)
    .argParser(parserOf("--repeats", oneOf(repeats))),
  ignoreFields: new Option(
    "--ignore-fields",
    "ignore columns and keys that an animal does not have",
  ),
  format: new Option("--format <format>", "input format (default: by extension or content)")
    .choices(inputFormats)
    .argParser(parserOf("--format", oneOf(inputFormats))),
  encoding: new Option("--encoding <label>", "encoding, such as latin1 (default: utf-8)").argParser(
    parseEncoding,
  ),
  header: new Option("--no-header", "read the first row as data; columns are #1, #2, …"),
  skipLines: new Option("--skip-lines <n>", "skip lines before the header").argParser(
    parserOf("--skip-lines", countWithin({ min: 1, max: 1_000_000 })),
  ),
  items: new Option("--items <path>", "where the rows are in JSON, such as data.animals"),
  sheet: new Option("--sheet <name>", "sheet of a workbook (default: the first with rows)"),
  name: new Option("--name <name>", "name of the animal").argParser((text: string) =>
    parseName("--name", text),
  ),
  category: new Option("--category <id>", "id of the animal's category, an integer").argParser(
    parserOf("--category", idSyntax),
  ),
  status: new Option("--status <status>", "status of the animal")
    .choices(petStatuses)
    .argParser(parserOf("--status", statusSyntax)),
} satisfies Readonly<Record<keyof ReadOptions, Option>>;

type Declared = Pick<Option, "long" | "required" | "negate" | "parseArg">;

const declared: readonly (readonly [string, Declared])[] = Object.entries(readingOptions);

/** Returns those options that say how a file is read. */
export const readingOf = (options: ReadOptions): ReadOptions =>
  Object.fromEntries(
    Object.entries(options).filter(([name]) => Object.hasOwn(readingOptions, name)),
  );

/** Returns options as flags, each with its value, as a command line and a mapping have them. */
export function readFlags(options: ReadOptions): Flags {
  const given: Readonly<Record<string, ReadOptions[keyof ReadOptions]>> = { ...options };
  return declared.flatMap(([name, { long = "", negate, required }]) => {
    const value = given[name];
    if (value === undefined) return [];
    if (!required) return value === !negate ? [[long]] : [];
    return [value].flat().map((each) => [long, String(each)]);
  });
}

/** Adds a flag with its value, if it has one, to options, as commander would. Throws a usage Failure. */
export function takeFlag(options: ReadOptions, flag: string, value?: string): ReadOptions {
  const [name, option] = declared.find(([, { long }]) => long === flag) ?? [];
  if (name === undefined || option === undefined)
    throw usageFailure(`${JSON.stringify(flag)} is not an option that says how a file is read`);
  if (option.required !== (value !== undefined))
    throw usageFailure(`${flag} ${option.required ? "needs a value" : "takes no value"}`);
  const given: Readonly<Record<string, unknown>> = { ...options };
  const parse = option.parseArg ?? ((text: string): unknown => text);
  return { ...options, [name]: value === undefined ? !option.negate : parse(value, given[name]) };
}
