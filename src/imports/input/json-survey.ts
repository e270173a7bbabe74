import { isObjectOfRows, maxDepth, pathOf } from "./json-rows.ts";
import { JsonFault, JsonText } from "./json-text.ts";

/** What `--items` may name, with how many rows it has. */
export interface FoundItems {
  readonly items: string;
  readonly rows: number;
}

const maxFound = 100;
const maxKept = 10 * maxFound;
/** How many rows, and how many members of any other object, it looks into. */
const maxRows = 20;
const maxMembers = 1000;
const maxKeyLength = 100;

const isNameable = (key: string): boolean =>
  key.length <= maxKeyLength && !/[\u0000-\u001f\u007f-\u009f]/.test(key);

const describing = /^_?(?:meta([-_ ]?data)?|columns?|schemas?)$/i;

interface Found extends FoundItems {
  /** The number of its place in the file. */
  readonly at: number;
}

/**
 * Returns what `--items` may name in a text that is one JSON value, those that describe the file last, else those with the
 * most rows first. Of a text that is cut off, what there is of it.
 */
export function surveyArrays(text: Iterable<string>): readonly FoundItems[] {
  const json = new JsonText(text);
  // Those without rows are no arrays of rows, but `--items` would stop at them.
  let found = new Map<string, Found>();
  let places = 0;
  const look = (path: string | undefined, depth: number): void => {
    const isArray = json.peek() === "[";
    const isObject = isObjectOfRows(json);
    if (depth === maxDepth || !json.isAtBracket()) return json.skip();
    const at = places;
    places += 1;
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
      if (path !== undefined && (isArray || isObject) && !found.has(path))
        found.set(path, { items: path, rows: isOfRows ? count : 0, at });
      if (found.size > maxKept) found = new Map(best(found).map((each) => [each.items, each]));
    }
  };
  try {
    look(undefined, 0);
    // What has several values has no paths.
    if (json.peek() !== "") return [];
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
  }
  return best(found).map(({ items, rows }) => ({ items, rows }));
}

function best(found: ReadonlyMap<string, Found>): readonly Found[] {
  const isDescribing = ({ items }: Found): number =>
    Number(items.split(".").some((part) => describing.test(part)));
  return [...found.values()]
    .filter(({ rows }) => rows > 0)
    .sort((a, b) => isDescribing(a) - isDescribing(b) || b.rows - a.rows || a.at - b.at)
    .slice(0, maxFound);
}
