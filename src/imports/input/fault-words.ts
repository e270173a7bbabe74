import type { FailureDetail } from "../../core/errors.ts";
import { formatCount, formatPlace, plural, type RowPlace } from "../../core/format.ts";
import {
  newPetFieldNames,
  type NewPetField,
  requiredPetFields,
  statusSyntax,
  syntaxOf,
} from "../../core/pet-fields.ts";
import type { NewPet } from "../../core/pet.ts";
import { closeMatch } from "../../core/strings.ts";
import { nearestOf } from "../../core/syntax.ts";
import type {
  Fault,
  HeaderFacts,
  InputRecord,
  InvalidRow,
  Path,
  ReadRow,
  RowFacts,
} from "../types.ts";
import { excerpt, isHeadless, quote, show } from "./columns.ts";
import { type InputFacts, maxListed, roundedNumber } from "./facts.ts";
import { textOf } from "./row.ts";

// What is wrong with an input, in words.

/** Returns the row of this number (from 0), which begins in a line, with what is wrong with it in words. */
export function rowAt(
  index: number,
  place: Pick<InvalidRow, "line" | "row" | "textLine">,
  found: NewPet | Fault,
  key?: string,
): ReadRow {
  if ("columns" in found)
    return { ...place, message: headerMessage(found), fatal: "header", fault: found };
  if ("wrong" in found) {
    const { message, field } = found.isLone ? loneFault(found) : rowMessage(found);
    return { ...place, name: found.name, message, ...(field && { field }), fault: found, key };
  }
  if (!("message" in found)) {
    const { line, row } = place;
    if (!roundedNumber.test(key?.trim() ?? "")) return { index, line, row, pet: found, key };
    const message = `${quote(key ?? "")} ${roundedAdvice}`;
    return { ...place, name: found.name, field: "key", message, fault: { message } };
  }
  return { ...place, ...found, fault: found };
}

/** Returns the record of a fault that is of no row, or ends the reading. */
export const faultRecord = (place: RowPlace, fault: Fault): InputRecord => ({
  read: rowAt(0, place, fault),
  original: "",
});

/** A row whose fields are all valid may still be an animal. */
const loneFault = ({ missing, wrong }: RowFacts): { message: string; field?: string } => ({
  message: `looks like a heading or a total${missing.length + wrong.size === 0 ? "; quote its name if it is an animal" : ""}`,
});

const maxNamed = 20;
const maxUnknown = 10;
const fieldList = newPetFieldNames.join(", ");

function headerMessage(facts: HeaderFacts): string {
  const { columns, unknown, absent, repeated, kind, titleLines, headings } = facts;
  if (titleLines > 0) return `not a header; line ${titleLines + 1} looks like one`;
  if (kind === "quoted") return "the header is quoted, so this is CSV, not TSV";
  const names = columns.map(({ name }) => name);
  const twice = columns.find(({ name }) => repeated.includes(name));
  if (twice !== undefined && absent.length === 0)
    return `the header has more than one column for ${twice.field ?? "--key"}: ${repeated.map(excerpt).join(", ")}`;
  if (kind === "data" && absent.length === 0)
    return `expected a header such as name,categoryId,status; the first row is ${places(columns)}`;
  const missing = requiredPetFields.filter((field) => facts.missing.includes(field));
  const hasNoNames = isHeadless(columns);
  const parts = [
    kind === "single" &&
      `only one column, ${quote(names.join())}; columns are separated by , ; | or tabs`,
    absent.length > 0 && absentColumns(absent, columns),
    missing.length > 0 && `no column for ${missing.join(" and ")}`,
    unknown.length > 0 && kind !== "single" && unknownColumns(unknown),
    hasNoNames && `the first row is ${places(columns)}`,
    headings.length > 0 && missing.includes("categoryId") && lookLikeHeadings(headings),
    kind === "unsure" && !hasNoNames && `if it is no header, the first row is ${places(columns)}`,
  ];
  return parts.filter((part) => part !== false).join("; ");
}

const maxHeadings = 3;

function lookLikeHeadings(rows: readonly RowPlace[]): string {
  const named = rows.map((row) => formatPlace({ ...row, name: excerpt(row.name ?? "") }));
  const each =
    rows.length === 1 ? "looks like a heading or a total" : "look like headings or totals";
  return `${listOf(named, maxHeadings)} ${each}`;
}

/** Returns which columns are named that are not there, each with the nearest that is, and which are. */
function absentColumns(absent: readonly Path[], columns: HeaderFacts["columns"]): string {
  const names = columns.map(({ name }) => name);
  const wrongPlace = absent.flatMap(({ name }) => {
    const at = Number(/^#(\d+) /.exec(name)?.[1]) - 1;
    const there = columns[at];
    return there ? [`column #${at + 1} is ${quote(there.title)}`] : [];
  });
  const others = [...wrongPlace, `the columns are ${listOf(names.map(excerpt))}`];
  return `${namedBy(absent, names)}, but ${others.join("; ")}`;
}

/** Returns the cells of a first row by their places, as `--map` takes them. */
const places = (columns: HeaderFacts["columns"]): string =>
  listOf(columns.map(({ title }, at) => `#${at + 1} ${quote(title)}`));

/** Returns which flags name these paths, each with the nearest that is there: `--map names "a", "b"; --key names "c"`. */
export function namedBy(paths: readonly Path[], known: readonly string[] = []): string {
  const byFlag = [...Map.groupBy(paths, ({ flag }) => flag)];
  const named = byFlag.map(([flag, those]) => [
    flag,
    those.map(({ name }) => quote(name) + didYouMean(closeMatch(name, known))).join(", "),
  ]);
  return named.map((parts) => parts.join(" names ")).join("; ");
}

const didYouMean = (nearest: string | undefined): string =>
  nearest === undefined ? "" : ` (did you mean ${quote(nearest)}?)`;

function unknownColumns(names: readonly string[]): string {
  const shown = names.map((name) => quote(name) + didYouMean(closeMatch(name, newPetFieldNames)));
  const what = names.length === 1 ? "unknown column" : "unknown columns";
  return `${what} ${listOf(shown)}; the columns are ${fieldList}`;
}

/** Returns the first texts of a list, and how many more there are. */
export function listOf(texts: readonly string[], max = maxNamed): string {
  const more = texts.length > max ? ` and ${formatCount(texts.length - max)} more` : "";
  return texts.slice(0, max).join(", ") + more;
}

/** Returns what is wrong with an unknown field; the first one is told with those that there are. */
function notAField(name: string, isFirst: boolean): string {
  const nearest = name.includes(".") ? undefined : closeMatch(name, newPetFieldNames);
  const known = isFirst && nearest === undefined ? ` (${fieldList})` : didYouMean(nearest);
  return `is not a field of an animal${known}`;
}

/** Returns all that is wrong with a row, from its first field on. */
function rowMessage({ unknown, missing, wrong }: RowFacts) {
  const faults = [
    ...[...unknown.keys()].slice(0, maxUnknown).map((field, at) => {
      return { field: excerpt(field), message: notAField(field, at === 0) };
    }),
    ...newPetFieldNames.flatMap((field) => {
      if (wrong.has(field)) return [{ field, message: wrongValue(field, wrong.get(field)) }];
      const isMissing = missing.includes(field) && requiredPetFields.includes(field);
      return isMissing ? [{ field, message: "is missing" }] : [];
    }),
  ];
  const messages = faults.map(({ field, message }, at) => (at > 0 ? `${field} ` : "") + message);
  return { ...faults[0], message: messages.join("; ") };
}

function wrongValue(field: NewPetField, value: unknown): string {
  const isText = typeof value === "string";
  if (field === "name")
    return isText ? "must not be empty" : `must be a string, not ${show(value)}`;
  const { allowed } = syntaxOf(field);
  return `must be ${allowed(textOf(value) ?? "?")}, not ${show(value)}${isText ? adviceOn(field, value) : ""}`;
}

function adviceOn(field: NewPetField, text: string): string {
  if (field === "status") return nearestOf(text.trim(), statusSyntax);
  return roundedNumber.test(text) ? `: it ${roundedAdvice}` : "";
}

const roundedAdvice = "was rounded by a spreadsheet; format the column as text, and enter it again";

/** Returns what is wrong with the rows (of JSON what several have in common once, and of each what is its own), and how many more there are. */
export function invalidDetails(facts: InputFacts) {
  const { invalid, lacking, listed, columns, missing, read } = facts;
  const [first] = lacking;
  if (first === undefined) return { details: listed, moreDetails: invalid - listed.length };
  const common = [...columns.values()].filter(({ count }) => count > 1);
  const absent = requiredPetFields.filter((field) => read > 1 && missing[field] === read);
  const fields = common.slice(0, maxUnknown).map(({ name, count, place }, at) => {
    const others = common.length - maxUnknown;
    const more =
      others > 0 && at === maxUnknown - 1 ? `, and so are ${formatCount(others)} others` : "";
    const message = `${notAField(name, at === 0)}; ${formatCount(count)} rows have it${more}`;
    return Object.assign({ field: excerpt(name), message }, place);
  });
  const { line, textLine } = columns.values().next().value?.place ?? first;
  const lacks = absent.map((field) => {
    return { line, textLine, field, message: `is missing in all ${plural(read, "row")}` };
  });
  const own = [...lacking, ...listed].flatMap((row) => {
    const { fault } = row;
    if (!("wrong" in fault)) return [row];
    const unknown = [...fault.unknown].filter(([name]) => (columns.get(name)?.count ?? 1) === 1);
    const { field, message } = rowMessage({
      ...fault,
      unknown: new Map(unknown),
      missing: fault.missing.filter((each) => !absent.includes(each)),
    });
    return message === "" ? [] : [{ ...row, message, ...(field && { field }) }];
  });
  own.sort((one, other) => one.line - other.line);
  const all: readonly FailureDetail[] = [...fields, ...lacks, ...own];
  const details = all.slice(0, maxListed);
  // A message about several rows has their count.
  const isEachRow = fields.length + lacks.length === 0;
  return { details, moreDetails: isEachRow ? invalid - details.length : 0 };
}
