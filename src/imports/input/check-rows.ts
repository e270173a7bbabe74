import path from "node:path";
import { Failure } from "../../core/errors.ts";
import { shellCommand } from "../../core/shell-quote.ts";
import type { InvalidRow, ReadRow } from "../types.ts";
import type { InputFile } from "./open.ts";

/** How many invalid rows are listed with line and reason (`help import`). */
const maxListed = 20;

const maxCures = 8;

/** A longer flag, such as one with a path that a file made up, is not suggested. */
const maxCureLength = 300;

/** How the rows of an input are checked. */
export interface CheckOptions {
  /** Whether invalid rows are left out, instead of keeping all from being sent. */
  readonly skipInvalid?: boolean | undefined;
  /** The system whose shell reads a command in a hint. */
  readonly platform?: string | undefined;
}

/**
 * Reads all rows, of which only the last may be fatal, and passes them on. Rejects with a usage Failure if any
 * is invalid, with `skipInvalid` only if the rest could not be read; otherwise returns it as `failure`.
 */
export async function checkRows(
  batches: AsyncIterable<readonly ReadRow[]>,
  file: Pick<InputFile, "name" | "path">,
  options: CheckOptions,
  onRows: (rows: readonly ReadRow[]) => void = () => {},
) {
  const { skipInvalid = false } = options;
  const listed: InvalidRow[] = [];
  let [rows, invalid] = [0, 0];
  for await (const batch of batches) {
    onRows(batch);
    rows += batch.length;
    for (const read of batch) {
      if ("pet" in read) continue;
      invalid += 1;
      if (listed.length < maxListed || read.fatal !== undefined)
        listed[Math.min(listed.length, maxListed - 1)] = read;
    }
  }
  const failure = invalid === 0 ? undefined : invalidRows(listed, { rows, invalid }, file, options);
  const isFatal = listed.at(-1)?.fatal !== undefined;
  if (failure !== undefined && (isFatal || !skipInvalid)) throw failure;
  return { rows, invalid, failure };
}

function invalidRows(
  listed: readonly InvalidRow[],
  { rows, invalid }: { readonly rows: number; readonly invalid: number },
  { name, path: file }: Pick<InputFile, "name" | "path">,
  { skipInvalid = false, platform = "linux" }: CheckOptions,
): Failure {
  const fatal = listed.at(-1)?.fatal;
  const count = invalid === 1 ? "1 row is invalid" : `${invalid} rows are invalid`;
  const what = fatal === "header" ? "invalid header" : count;
  const isSent = fatal === undefined && skipInvalid;
  const shown = invalid > listed.length ? `; the first ${listed.length} are listed` : "";
  return new Failure("usage", `${what} in ${name}${isSent ? "" : "; nothing was sent"}${shown}`, {
    ...(file !== undefined && { file: path.resolve(file) }),
    details: listed.map(({ cure: _cure, fatal: _fatal, ...detail }) => detail),
    hints: [
      ...cures(listed, platform),
      ...(fatal !== undefined || skipInvalid || invalid === rows ? [] : [skipHint]),
    ],
  });
}

const skipHint = "to send only the valid rows, use --skip-invalid";

/** Returns a line with the flags that would help, as they can be pasted. */
function cures(listed: readonly InvalidRow[], platform: string): readonly string[] {
  const flags = listed.flatMap(({ cure = [] }) => cure.map((flag) => shellCommand(flag, platform)));
  const shown = [...new Set(flags)]
    .filter(({ length }) => length <= maxCureLength)
    .slice(0, maxCures);
  return shown.length === 0 ? [] : [`try it with ${shown.join(" ")}`];
}
