import { requiredPetFields } from "../../core/pet-fields.ts";
import type { InputFormat } from "../types.ts";
import { guessByName, type RowOptions } from "./columns.ts";
import { addFacts, InputFacts } from "./facts.ts";
import { surveyArrays } from "./json/json-survey.ts";
import { JsonText } from "./json/json-text.ts";
import { isContainer, readJson } from "./json/json.ts";
import type { InputFile } from "./open.ts";
import { asJson } from "./suggest.ts";
import { InputText } from "./text.ts";

/** Adds what a user must choose of an input that is not understood: an encoding, where its rows are, paths of JSON. */
export async function addChoices(
  facts: InputFacts,
  file: InputFile,
  format: InputFormat | undefined,
  options: RowOptions,
): Promise<void> {
  if (facts.listed.at(-1)?.isEncoding) {
    const { readingsOf } = await import("./encodings.ts");
    facts.readings = readingsOf(file.chunks());
  }
  if (format !== "json" && format !== "ndjson") return;
  const text = () => new InputText(file.chunks(), options.encoding);
  addArrays(facts, text, format, options.items);
  addAbsent(facts, text, format, options);
}

/** Adds where JSON has arrays that may have the animals. */
function addArrays(
  facts: InputFacts,
  text: () => InputText,
  format: InputFormat,
  items: string | undefined,
): void {
  const { rows, read, columns, missing, invalid } = facts;
  const sparse = [...columns.values()].filter(({ count }) => count * 2 < read);
  const isHolder =
    rows === 1
      ? requiredPetFields.some((field) => missing[field] === 1)
      : sparse.length * 2 > columns.size;
  const isWrongPath = items !== undefined && facts.listed.at(-1)?.fatal === "file";
  if (isWrongPath || (items === undefined && invalid === rows && isHolder))
    facts.arrays = surveyArrays(text());
  if (facts.arrays.length > 0) {
    if (format === "ndjson") facts.cures.add([asJson]);
    return;
  }
  const isGuessed = guessByName([...columns.keys()], ["categoryId"]).size > 0;
  const { name } = [...columns.values()].find(({ holdsRows }) => holdsRows) ?? {};
  if (name === undefined || missing.categoryId !== read || isGuessed) return;
  // jq takes values that stand one after the other each by itself.
  const each = items !== undefined || isContainer(new JsonText(text())) ? [""] : [];
  const filter = jqPath([...(items?.split(".") ?? []), ...each, ...name.split("."), ""]);
  facts.holder = { name, filter };
}

/** Adds the paths of `--map` and `--key` that no row has, and what the rows have instead. */
function addAbsent(
  facts: InputFacts,
  text: () => InputText,
  format: InputFormat,
  options: RowOptions,
): void {
  const { columnMap, keyPath } = options;
  if (facts.rows === 0 || facts.listed.at(-1)?.fatal !== undefined) return;
  const paths = [...columnMap.values(), ...(keyPath ? [keyPath] : [])];
  facts.absent = paths.filter(({ isFound }) => !isFound);
  if (facts.absent.length === 0) return;
  // With --ignore-fields nothing is known yet of what else the rows have.
  const seen = new InputFacts();
  const found = new Map([...columnMap].filter(([, { isFound }]) => isFound));
  const others = { ...options, columnMap: found, keyPath: undefined, ignoreFields: false };
  for (const record of readJson(text(), format, others)) addFacts(seen, record);
  for (const [name, column] of seen.columns) facts.columns.set(name, column);
}

/** Returns a path as jq takes it; an empty part is each element. */
const jqPath = (parts: readonly string[]): string =>
  parts
    .map((part) => {
      if (part === "" || /^\d+$/.test(part)) return `[${part}]`;
      return /^[A-Za-z_]\w*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
    })
    .join("")
    .replace(/^\[/, ".[");
