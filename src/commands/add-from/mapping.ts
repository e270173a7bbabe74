import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { type CommandUnknownOpts, InvalidArgumentError } from "@commander-js/extra-typings";
import { Failure, orIoFailure, usageFailure } from "../../core/errors.ts";
import { parseColumnMap } from "../../imports/input/columns.ts";
import { parseValueMap } from "../../imports/input/row.ts";
import type { ReadOptions } from "../../imports/types.ts";
import type { FromOptions } from "./options.ts";

type Declared = CommandUnknownOpts["options"];
type Values = Record<string, unknown> & Pick<ReadOptions, "map" | "value">;

/** The options that say how a file is read, which a mapping may have. */
const readOptions =
  /^(?:format|encoding|map|key|repeats|value|ignoreFields|header|skipLines|items|name|category|status)$/;

/** Returns options with those of their `--mapping`, which those that were typed beat. Throws a usage or an io Failure. */
export function withMapping(options: FromOptions, declared: Declared): FromOptions {
  const { mapping: file, map = [], value = [], header = true, ...typed } = options;
  if (file === undefined) return options;
  const bytes = orIoFailure(`cannot read ${file}`, () => readFileSync(file));
  if (!isUtf8(bytes)) throw usageFailure(`${file} is not UTF-8 text; save it as UTF-8`);
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/);
  const saved: Values = {};
  for (const [at, line] of lines.entries())
    try {
      if (line.trim() !== "" && !line.startsWith("#")) takeLine(saved, line, declared);
    } catch (error) {
      const isKnown = error instanceof InvalidArgumentError || error instanceof Failure;
      if (!isKnown) throw error;
      const hints = error instanceof Failure ? error.hints : [];
      throw usageFailure(`${file}, line ${at + 1}: ${error.message}`, ...hints);
    }
  return {
    ...saved,
    ...typed,
    header: header && saved.header !== false,
    map: [...map, ...(saved.map ?? []).filter((each) => agrees(parseColumnMap, map, each))],
    value: [...value, ...(saved.value ?? []).filter((each) => agrees(parseValueMap, value, each))],
  };
}

/** Returns the options that say how a file is read, each with its value, as a mapping and a command line have them. */
export function readFlags(options: ReadOptions): string[][] {
  const given: [string, ReadOptions[keyof ReadOptions]][] = Object.entries(options);
  return given.flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === undefined || !readOptions.test(name)) return [];
    if (name === "header") return value === false ? [["--no-header"]] : [];
    if (typeof value === "boolean") return value ? [[flag]] : [];
    return [value].flat().map((each) => [flag, String(each)]);
  });
}

/** Adds the option in a line (the option, a blank, its value as it is) to the values before it, as commander would. */
function takeLine(values: Values, line: string, declared: Declared): void {
  const [, flag = line, value] = /^(\S+)[ \t](.*)$/.exec(line) ?? [];
  const option = declared.find(({ long }) => long === flag);
  const name = option?.attributeName() ?? "";
  if (option === undefined || !readOptions.test(name))
    throw usageFailure(`${JSON.stringify(flag)} is not an option that says how a file is read`);
  if (option.required !== (value !== undefined))
    throw usageFailure(`${flag} ${option.required ? "needs a value" : "takes no value"}`);
  const parse = option.parseArg ?? ((text: string): unknown => text);
  values[name] = value === undefined ? !option.negate : parse(value, values[name]);
  parseColumnMap(values.map ?? []);
  parseValueMap(values.value ?? []);
}

/** Returns whether no typed value contradicts a saved one. */
function agrees(
  parse: (values: readonly string[]) => unknown,
  typed: readonly string[],
  saved: string,
) {
  try {
    return Boolean(parse([...typed, saved]));
  } catch {
    return false;
  }
}
