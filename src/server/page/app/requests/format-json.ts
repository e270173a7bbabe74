import { readJson } from "../api.ts";

/** Matches a string (perhaps cut off), a bracket, a separator, or anything else up to the next of these. */
const token = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/gs;
/** Deeper levels are not indented further. */
const maxIndent = 20;

/**
 * Returns a JSON text, or with `isCut` the beginning of one, with a line for each value; all numbers and
 * strings as they are written. Undefined if it is no object and no array.
 */
export function formatJson(text: string, isCut: boolean): string | undefined {
  if (!/^\s*[[{]/.test(text) || !(isCut || readJson(text) !== undefined)) return undefined;
  let depth = 0;
  let result = "";
  let before = "";
  const newLine = (): string => `\n${"  ".repeat(Math.min(depth, maxIndent))}`;
  for (const [part] of text.matchAll(token)) {
    const opens = before === "{" || before === "[";
    if (part === "}" || part === "]") {
      depth -= 1;
      result += opens ? part : newLine() + part;
    } else {
      if (opens || before === ",") result += newLine();
      result += part === ":" ? ": " : part;
    }
    if (part === "{" || part === "[") depth += 1;
    before = part;
  }
  return result;
}
