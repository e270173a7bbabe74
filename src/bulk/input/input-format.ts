import type { Utf8Text } from "./utf8.ts";
import type { InputFormat } from "../types.ts";

const endings: Readonly<Record<string, InputFormat>> = {
  ndjson: "ndjson",
  jsonl: "ndjson",
  json: "json",
  csv: "csv",
};

/** The format that the ending of a file's name tells, in upper or lower case. */
export function formatByEnding(file: string): InputFormat | undefined {
  const ending = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(endings, ending) ? endings[ending] : undefined;
}

/** The format that the first character tells that is no white space (contract.md, Bulk, Input). */
export async function formatByStart(text: Utf8Text): Promise<InputFormat> {
  for await (const piece of text) {
    const first = /\S/.exec(piece.toString())?.[0];
    if (first !== undefined) return first === "[" ? "json" : first === "{" ? "ndjson" : "csv";
  }
  return "csv";
}
