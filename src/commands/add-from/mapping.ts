import { isUtf8 } from "node:buffer";
import fs from "node:fs";
import path from "node:path";
import { Failure, orIoFailure, usageFailure } from "../../core/errors.ts";
import { addColumns } from "../../imports/input/columns.ts";
import { addValues } from "../../imports/input/row.ts";
import type { Flags, ReadOptions } from "../../imports/types.ts";
import type { FromOptions } from "./options.ts";
import { readFlags, readingOf, takeFlag } from "./reading-options.ts";

const maxBytes = 64 * 1024;

/** Returns options with those of their `--mapping`, which those that were typed beat. Throws a usage or an io Failure. */
export function withMapping(options: FromOptions): FromOptions {
  const { mapping: file } = options;
  if (file === undefined) return options;
  return { ...options, ...merged(readMapping(file, options), options) };
}

/** Returns what a mapping says where nothing that was typed, or answered, contradicts it or says it too; and that. */
function merged(saved: ReadOptions, typed: ReadOptions): ReadOptions {
  const { map = [], value = [], header = true } = typed;
  const [columns, values] = [addColumns(new Map(), map), addValues(new Map(), value)];
  const isNew = (column: string) => columns.size < addColumns(columns, [column]).size;
  const given = Object.entries(typed).filter(([, each]) => each !== undefined);
  return {
    ...saved,
    ...Object.fromEntries(given),
    header: header && saved.header !== false,
    map: [...(saved.map ?? []).filter((each) => agrees(() => isNew(each))), ...map],
    value: [
      ...(saved.value ?? []).filter((each) => agrees(() => addValues(values, [each]))),
      ...value,
    ],
  };
}

/** What the guide answers about invalid rows, beside the flags that say how a file is read. */
export const skipInvalid = "--skip-invalid";

/** Returns options with an answer, as if its flags had been typed; they replace what they contradict. */
export function withAnswer(options: FromOptions, answer: Flags): FromOptions {
  const flags = answer.filter(([flag]) => flag !== skipInvalid);
  const read = flags.reduce<ReadOptions>(
    (all, [flag = "", value]) => takeFlag(all, flag, value),
    {},
  );
  const isSkipped = options.skipInvalid === true || flags.length < answer.length;
  return { ...options, ...merged(readingOf(options), read), skipInvalid: isSkipped };
}

/** Returns what is wrong with a file as a new mapping, or as one to add to. */
export function whyNoMapping(file: string, options: FromOptions): string | undefined {
  if (file.trim() === "") return "It must be a file name.";
  const { from, results = from } = options;
  if ([from, results].some((other) => path.resolve(other) === path.resolve(file)))
    return "It must be neither the input nor the results.";
  const there = fs.statSync(file, { throwIfNoEntry: false });
  if (there?.isDirectory()) return "It is a directory.";
  const directory = path.dirname(path.resolve(file));
  if (!fs.existsSync(directory)) return `There is no directory ${directory}.`;
  try {
    const saved = there === undefined ? {} : readMapping(file, options);
    const current = new Set(readFlags(readingOf(options)).map(String));
    const other = readFlags(saved).find((flag) => !current.has(String(flag)));
    return other && `It already exists, for other files: it has ${other.join(" ")}.`;
  } catch (error) {
    return error instanceof Failure
      ? `It already exists, but is no mapping: ${error.message}`
      : String(error);
  }
}

/**
 * Writes how a file is read as a mapping; to one that is there it adds what that lacks, and takes out what is contradicted.
 * Returns whether it is new. Throws an io Failure.
 */
export function keepMapping(file: string, options: FromOptions): boolean {
  const isNew = !fs.existsSync(file);
  const saved = isNew ? {} : readMapping(file, options);
  const flags = readFlags(merged(saved, readingOf(options))).map((flag) => flag.join(" "));
  const before = isNew ? [] : textOf(file, []).trimEnd().split(/\r?\n/);
  const kept = before.filter(
    (line) => line.trim() === "" || line.startsWith("#") || flags.includes(line),
  );
  const lines = [...kept, ...flags.filter((line) => !kept.includes(line))];
  orIoFailure(`cannot write ${file}`, () => fs.writeFileSync(file, `${lines.join("\n")}\n`));
  return isNew;
}

function agrees(add: () => unknown): boolean {
  try {
    return Boolean(add());
  } catch {
    return false;
  }
}

/** Returns the options that a mapping has. Throws a usage Failure that names its line, or an io Failure. */
function readMapping(file: string, { from, results }: FromOptions): ReadOptions {
  let saved: ReadOptions = {};
  const [columns, values] = [addColumns(new Map(), []), addValues(new Map(), [])];
  const lines = textOf(file, [from, ...(results === undefined ? [] : [results])]).split(/\r?\n/);
  for (const [at, line] of lines.entries())
    try {
      if (line.trim() === "" || line.startsWith("#")) continue;
      const [, flag = line, value] = /^(\S+)[ \t](.*)$/.exec(line) ?? [];
      saved = takeFlag(saved, flag, value);
      if (flag === "--map") addColumns(columns, [value ?? ""]);
      if (flag === "--value") addValues(values, [value ?? ""]);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw usageFailure(`${file}, line ${at + 1}: ${error.message}`, ...error.hints);
    }
  return saved;
}

/** Returns the text of a mapping, which may be none of the other files. */
function textOf(file: string, others: readonly string[]): string {
  const attempt = <Value>(step: () => Value): Value => orIoFailure(`cannot read ${file}`, step);
  const stats = attempt(() => fs.statSync(file));
  if (!stats.isFile()) throw usageFailure(`--mapping ${file} must be a regular file`);
  for (const other of others) {
    const there = fs.statSync(other, { throwIfNoEntry: false });
    if (there?.ino === stats.ino && there.dev === stats.dev)
      throw usageFailure(
        `--mapping ${file} must not be the ${other === others[0] ? "input" : "results"}`,
      );
  }
  if (stats.size > maxBytes) throw usageFailure(`--mapping ${file} must not be larger than 64 KiB`);
  const bytes = attempt(() => fs.readFileSync(file));
  if (!isUtf8(bytes)) throw usageFailure(`${file} is not UTF-8 text; save it as UTF-8`);
  return new TextDecoder().decode(bytes);
}
