import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ReadRow, Row, RowEnd, Tally } from "../bulk/types.ts";
import type { Context } from "../context.ts";
import { ReaderGone } from "../io.ts";
import { parseExact } from "../json/parse.ts";
import { stringifyExact } from "../json/stringify.ts";
import type { FromOptions } from "./add-from-options.ts";

export interface CheckedInput {
  readonly name: string;
  readonly content: string;
  readonly count: number;
  rows(): AsyncIterable<readonly ReadRow[]>;
  close(): void;
}

export async function openChecked(_context: Context, { file }: FromOptions): Promise<CheckedInput> {
  const bytes = readFileSync(file);
  const lines = bytes.toString().split("\n").filter(Boolean);
  return {
    name: file,
    content: createHash("sha256").update(bytes).digest("hex"),
    count: lines.length,
    async *rows() {
      for (let from = 0; from < lines.length; from += 100)
        yield lines.slice(from, from + 100).map((line, i) => ({
          index: from + i,
          line: from + i + 1,
          pet: parseExact(line) as Row["pet"],
        }));
    },
    close() {},
  };
}

export interface Screen {
  tell(end: RowEnd): Promise<void> | void;
  row(row: Row): Promise<void>;
  end(tally: Tally): Promise<void>;
}

export async function openScreen(context: Context, _input: CheckedInput): Promise<Screen> {
  let text = "";
  let writing: Promise<void> | undefined;
  const flush = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const now = text;
    text = "";
    writing = undefined;
    await context.stdout.write(now).catch((error) => {
      if (!(error instanceof ReaderGone)) throw error;
    });
  };
  return {
    tell(end) {
      const { row, outcome } = end;
      text += `${stringifyExact({
        line: row.line,
        outcome,
        ...("pet" in end
          ? { pet: end.pet }
          : { error: { code: end.failure.code, message: end.failure.message } }),
      })}\n`;
      writing ??= flush();
    },
    row: async (row) => context.stdout.write(`${stringifyExact(row.pet)}\n`),
    async end(tally) {
      await writing;
      await context.note(JSON.stringify(tally));
    },
  };
}
