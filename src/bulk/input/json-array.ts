import type { Utf8Text } from "./utf8.ts";
import { JsonRows } from "./json-rows.ts";
import { type JsonFault, JsonTokens } from "./json-tokens.ts";
import type { RowOptions } from "./row.ts";
import type { InvalidRow, ReadRow } from "../types.ts";

/**
 * The rows of a JSON array of NewPets, in batches; the line of each is its place, from 1
 * (contract.md, Bulk, Checked first). A text of nothing but white space has no rows.
 */
export async function* readJson(
  text: Utf8Text,
  options: RowOptions,
): AsyncGenerator<readonly ReadRow[]> {
  const reader = new JsonTokens();
  const rows = new JsonRows(options);
  let isBlank = true;
  for await (const piece of text) {
    const part = piece.toString();
    isBlank &&= part.trim() === "";
    const { tokens, fault } = reader.push(part);
    yield rows.push(tokens);
    if (fault !== undefined && !rows.isStopped) yield [noJson(rows.place, fault)];
    if (fault !== undefined || rows.isStopped) return;
  }
  if (text.decodeError !== undefined) yield [{ line: rows.place, message: text.decodeError }];
  if (text.decodeError !== undefined || isBlank) return;
  const { tokens, fault } = reader.end();
  yield rows.push(tokens);
  if (fault !== undefined) yield [noJson(rows.place, fault)];
}

function noJson(place: number, { what, line, column }: JsonFault): InvalidRow {
  const where = `line ${line}, column ${column} of the file`;
  return {
    line: place,
    message: `is not valid JSON: ${what} at ${where}; nothing behind it was read`,
  };
}
