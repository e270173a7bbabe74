import type { FoundItems } from "../../types.ts";
import { isObjectOfRows, maxDepth, pathOf } from "./json-rows.ts";
import { JsonFault, JsonText } from "./json-text.ts";

const maxFound = 100;
const maxKept = 10 * maxFound;
/** How many rows, and how many members of any other object, it looks into. */
const maxRows = 20;
const maxMembers = 1000;
const maxKeyLength = 100;

const isNameable = (key: string): boolean =>
  key.length <= maxKeyLength && !/[\u0000-\u001f\u007f-\u009f]/.test(key);

const describing = /^_?(?:meta([-_ ]?data)?|columns?|schemas?)$/i;
const isDescribing = ({ items }: FoundItems): number =>
  Number(items.split(".").some((part) => describing.test(part)));

/**
 * Returns what `--items` may name in a text that is one JSON value, those that describe the file last, else those with the
 * most rows first. Of a text that is cut off, what there is of it.
 */
export function surveyArrays(text: Iterable<string>): readonly FoundItems[] {
  const json = new JsonText(text);
  // Those without rows are no arrays of rows, but `--items` would stop at them.
  let found = new Map<string, number>();
  const look = (path: string | undefined, depth: number): void => {
    const isArray = json.peek() === "[";
    const isObject = isObjectOfRows(json);
    if (depth === maxDepth || !json.isAtBracket()) return json.skip();
    const isFirst = path !== undefined && (isArray || isObject) && !found.has(path);
    if (isFirst) found.set(path, 0);
    let count = 0;
    let isOfRows = isObject;
    try {
      for (const key of json.keys()) {
        if (isArray && count === 0) isOfRows = json.isAtBracket();
        const isNear = count < (isArray || isObject ? maxRows : maxMembers);
        if (isNear && isNameable(key)) look(pathOf(path, key), depth + 1);
        else json.skip();
        count += 1;
      }
    } finally {
      if (isFirst) found.set(path, isOfRows ? count : 0);
      if (found.size > maxKept)
        found = new Map(best(found).map(({ items, rows }) => [items, rows]));
    }
  };
  try {
    look(undefined, 0);
    // What has several values has no paths.
    if (json.peek() !== "") return [];
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
  }
  return best(found);
}

/** Returns the first of what was found, by its paths in the order of the file. */
function best(found: ReadonlyMap<string, number>): readonly FoundItems[] {
  return [...found]
    .map(([items, rows]) => ({ items, rows }))
    .filter(({ rows }) => rows > 0)
    .sort((a, b) => isDescribing(a) - isDescribing(b) || b.rows - a.rows)
    .slice(0, maxFound);
}
