import type { FoundItems } from "../../types.ts";
import { ifJson, JsonText } from "./json-text.ts";
import { isObjectOfRows, maxDepth, pathOf } from "./json.ts";

const maxFound = 100;
const maxKept = 10 * maxFound;
/** How many rows, and how many members of any other object, it looks into. */
const maxRows = 20;
const maxMembers = 1000;
const maxKeyLength = 100;
const maxShown = 500;

const isNameable = (key: string): boolean =>
  key.length <= maxKeyLength && !/[\u0000-\u001f\u007f-\u009f]/.test(key);

const describing =
  /^_?(?:meta([-_ ]?data)?|columns?|schemas?|fields|links|included|includes|errors|facets)$/i;
const isDescribing = ({ items }: FoundItems): number =>
  Number(items.split(".").some((part) => describing.test(part)));

/**
 * Returns what `--items` may name in a text that is one JSON value, those that describe the file last, else those with the
 * most rows first. Of a text that is cut off, what there is of it.
 */
export function surveyArrays(text: Iterable<string>): readonly FoundItems[] {
  const json = new JsonText(text);
  // Those without rows are no arrays of rows, but `--items` would stop at them.
  let found = new Map<string, FoundItems>();
  const look = (path: string | undefined, depth: number): void => {
    const isArray = json.peek() === "[";
    const isObject = isObjectOfRows(json);
    if (depth === maxDepth || !json.isAtBracket()) return json.skip();
    const isFirst = path !== undefined && (isArray || isObject) && !found.has(path);
    const seen = { items: path ?? "", rows: 0, first: "" };
    if (isFirst) found.set(path, seen);
    let count = 0;
    let isOfRows: boolean | undefined = isObject || undefined;
    try {
      for (const key of json.keys()) {
        // Places without a row have null.
        if (isArray && json.peek() !== "n") isOfRows ??= json.isAtBracket();
        if (isFirst && isOfRows && seen.first === "") seen.first = textAhead(json);
        const isNear = count < (isArray || isObject ? maxRows : maxMembers);
        if (isNear && isNameable(key)) look(pathOf(path, key), depth + 1);
        else json.skip();
        count += 1;
      }
    } finally {
      if (isOfRows) seen.rows = count;
      if (isFirst) found.set(path, seen);
      if (found.size > maxKept) found = new Map(best(found).map((each) => [each.items, each]));
    }
  };
  // What has several values has no paths.
  const isWhole = ifJson(() => {
    look(undefined, 0);
    return json.peek() === "";
  });
  return isWhole === false ? [] : best(found);
}

/** Returns the text of the value that comes next, if it is near; no more of it than is shown. */
function textAhead(json: JsonText): string {
  const text = ifJson(() => json.ahead().read().text) ?? "";
  return text.slice(0, maxShown).replaceAll(/\s+/g, " ");
}

/** Returns the first of what was found, in the order of the file. */
function best(found: ReadonlyMap<string, FoundItems>): readonly FoundItems[] {
  return [...found.values()]
    .filter(({ rows }) => rows > 0)
    .sort((a, b) => isDescribing(a) - isDescribing(b) || b.rows - a.rows)
    .slice(0, maxFound);
}
