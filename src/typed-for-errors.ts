import type { Environment } from "./io.ts";

/** What a failure's rendering needs to know of the command line, also of one that does not parse. */
export interface TypedForErrors {
  readonly json: boolean;
  readonly verbose: boolean;
  /** False for `--no-color`. */
  readonly color: boolean;
}

const jsonFormats = new Set(["json", "ndjson"]);

/**
 * Reads the few options that decide how an error looks straight from the words typed, because a
 * command line that does not parse has no options yet. What stands behind `--` is not looked at.
 */
export function typedForErrors(argv: readonly string[], env: Environment): TypedForErrors {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  const format = words.map((word, place) => formatAt(word, words[place + 1])).findLast(Boolean);
  return {
    json: jsonFormats.has(format ?? env.PETS_OUTPUT ?? ""),
    verbose: words.includes("--verbose") || words.some((word) => /^-[qv]*v/.test(word)),
    color: !words.includes("--no-color"),
  };
}

/** The output format that `word`, or `next` where the word ends in `-o`, asks for. */
function formatAt(word: string, next: string | undefined): string | undefined {
  if (word === "--json") return "json";
  if (word === "--output" || /^-[qv]*o$/.test(word)) return next;
  return /^(?:--output=|-[qv]*o)(.+)$/.exec(word)?.[1];
}
